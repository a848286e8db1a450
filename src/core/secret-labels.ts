import type { SecretRule } from './find-secrets.ts';
import { FOREIGN_PASSWORDS, GUARDED, labelled, NO_CODE, NO_PATH, NO_WORD, TO_QUOTE } from './secret-words.ts';

const raw = String.raw;

/** Ends of names that people give to secrets. Anything may stand before them. */
const NAMES = [
  ...['password', 'passwd', 'passphrase', 'passcode', 'pwd', 'mysql_pwd', 'secret', 'token'],
  ...['credential', 'credentials', '_pass', '_auth', 'key'],
  ...FOREIGN_PASSWORDS,
];
const KNOWN_KEY = raw`(?<!(?<!${GUARDED}[ _-]?)key)`;
const SUFFIX = raw`(?:[_-]?(?:key(?:_base)?|value|hash|base64|b64|old|new|v?\d{1,2}))?(?![\w-])`;
const NAME = KNOWN_KEY + SUFFIX;
/** The quote or bracket that ends a name, and the type that some languages write after it. */
const CLOSE = raw`(?:\\{0,3}["'\x60]\]?)?(?::[ ]?[A-Za-z]{1,16}[ ]?(?==[^=]))?`;
const IS = raw`[ \t]{0,8}(?:=>|:=|=(?!=)|:(?!:)|：|%3d)[ \t]{0,8}`;
const NAMED = NAME + CLOSE + IS;

const LETTERS_IN_QUOTES = raw`(?<=["']pass\\{0,3}["'][ \t]{0,4}:[ \t]{0,4}\\{0,3}["'])[A-Za-z]{6,256}(?=\\{0,3}["'])`;
const LETTERS_ON_A_LINE = raw`(?<=(?:^|[\r\n])[ \t]{0,16}pass[ \t]{0,4}[:=][ \t]{0,4})[A-Za-z]{6,256}(?=[ \t]{0,8}(?:$|[\r\n]))`;
const BARE = raw`[^\s"'\x60,;&<>(){}\[\]\\]`;
/** Secrets recognised by the text before them. That text stays, so that a reader sees what was hidden. */
export const LABELLED: readonly SecretRule[] = [
  // In quotes, also escaped ones as in JSON inside a JSON string.
  labelled(
    'secret',
    NAMES,
    raw`${NAMED}\\{0,3}["'\x60]`,
    raw`${NO_WORD}(?:(?<=\\["'])(?:[^"'\\\r\n]|\\(?!["'\\])){3,4096}|(?<=[^\\]")(?:[^"\\\r\n]|\\[^\r\n]){3,4096}|(?<=[^\\]')(?:[^'\\\r\n]|\\[^\r\n]){3,4096}|(?<=\x60)[^\x60\r\n$]{3,4096})`,
    TO_QUOTE,
  ),
  // Without quotes: a setting, a part of an address, a header. With spaces around it, only text that does
  // not look like code.
  labelled(
    'secret',
    NAMES,
    NAMED,
    raw`${NO_WORD}${NO_CODE}${NO_PATH}(?:(?<=[^\s:]=)${BARE}{3,4096}|(?=${BARE}{0,128}[0-9!@#%^*~])${BARE}{6,4096}|[A-Za-z.\/+_-]{6,256}(?=[ \t]{0,8}(?:$|[\r\n])))`,
  ),
  // Names that often mean something else. Hide a value only if it has a letter and also a digit or a mark and is no
  // count, or if it is letters alone and name and value are in quotes or nothing else is on the line.
  labelled(
    'secret',
    ['pass'],
    raw`(?<=(?:^|[\s"'{,;&?])pass)${CLOSE}${IS}\\{0,3}["'\x60]?`,
    raw`${NO_WORD}${NO_CODE}${NO_PATH}(?!\d[\d.,]{0,16}[a-z]{0,3}(?![\w!@#%^*~]))(?:(?=${BARE}{0,128}[A-Za-z])(?=${BARE}{0,128}[0-9!@#%^*~])${BARE}{6,4096}|${LETTERS_IN_QUOTES}|${LETTERS_ON_A_LINE})`,
  ),
  // The name in one field and the value in the next, as in lists of settings.
  labelled(
    'secret',
    NAMES,
    raw`${NAME}["']?(?:,\s{0,64}|\s{1,64})["']?(?:value|content)["']?\s{0,4}[:=]\s{0,4}["']?`,
    raw`${NO_WORD}${NO_CODE}[^\s"'<>]{3,4096}`,
  ),
  // An object or list of JSON, unless it is a schema.
  labelled(
    'secret',
    NAMES,
    raw`(?<="[\w.-]{0,60})${KNOWN_KEY}s?${SUFFIX}"\s{0,4}:\s{0,4}`,
    raw`[{[](?!\s{0,64}(?:[\]}]|"(?:type|\$ref|description|anyOf|oneOf|allOf|enum|default|required)"))(?:[^{}[\]]|[{[][^{}[\]]{0,128}[}\]]){1,1024}[}\]]?`,
    /(?!)/y,
  ),
  labelled('secret', NAMES, raw`${NAME}>`, raw`${NO_WORD}[^<\s]{1,256}(?=<\/)`, /(?!)/y),
  labelled('secret', ['identified by '], raw`["']`, raw`[^"'\r\n]{1,256}`, TO_QUOTE),

  // Headers and addresses.
  labelled(
    'authorization',
    ['authorization'],
    raw`${CLOSE}[ \t]{0,4}[:=][ \t]{0,4}\\{0,3}["'\x60]?(?:(?!await )[A-Za-z][\w-]{1,24}[ ]{1,4}(?=[^\s|=&?]))?`,
    raw`${NO_WORD}${NO_CODE}${NO_PATH}[^\s"'\x60,;]{4,4096}`,
    /[^\r\n"'`\\]{1,4096}/y,
  ),
  labelled(
    'authorization',
    ['bearer', 'basic'],
    raw`[ \t]{1,4}`,
    raw`(?=[a-z+/._~-]{0,64}[0-9A-Z])[A-Za-z0-9+/._~-]{16,4096}={0,2}`,
  ),
  labelled(
    'cookie',
    ['cookie'],
    raw`${CLOSE}[ \t]{0,4}:[ \t]{0,4}\\{0,3}["'\x60]?`,
    raw`(?=[\w.-]{1,64}=)[^\r\n"'\x60]{6,4096}`,
    TO_QUOTE,
  ),
  labelled(
    'cookie',
    ['--cookie'],
    raw`(?:=|\s{1,4})["']?`,
    raw`(?=[\w.-]{1,64}=)[^\r\n"']{6,4096}`,
    TO_QUOTE,
  ),
  labelled(
    'url-password',
    ['://'],
    raw`[^\s:/"'<>\x60\\[]{0,128}:`,
    raw`(?![$<{%])(?:[^\s/?#"'<>\x60\\]{1,256}(?=@)|(?!\d{1,5}(?:[/?#]|$))(?:[^\s:"'<>\x60\\]|:(?!\/\/)){1,256}?(?=@))`,
    /(?!)/y,
  ),
  labelled('url-password', ['://'], raw`(?=.)`, raw`[\w-]{20,256}(?=@)`, /(?!)/y),
  labelled(
    'signature',
    ['sig=', 'signature='],
    raw`(?<=[?&](?:x-amz-|x-goog-)?sig(?:nature)?=)`,
    raw`[\w%+/=-]{20,512}`,
  ),
  labelled('url-key', ['key='], raw`(?<=[?&]key=)`, raw`[\w-]{16,512}`),
];
