import type { SecretRule } from './find-secrets.ts';

const raw = String.raw;

/** Ends of names that people give to secrets. Anything may stand before them. */
const NAMES = [
  ...['password', 'passwd', 'passphrase', 'passcode', 'passwort', 'pwd', 'mysql_pwd', 'secret', 'token'],
  ...['credential', 'credentials', '_pass', '_auth', 'key'],
];
/** `key` alone is mostly harmless, so it counts only with a word for something guarded. */
const GUARDED = raw`(?:api|app|access|account|auth|client|deploy|encryption|license|master|private|secret|service|session|shared|signing|storage|webhook)`;
const KNOWN_KEY = raw`(?<!(?<!${GUARDED}[ _-]?)key)`;
const SUFFIX = raw`(?:[_-]?(?:key(?:_base)?|value|hash|base64|b64|old|new|v?\d{1,2}))?(?![\w-])`;
const NAME = KNOWN_KEY + SUFFIX;
/** The quote or bracket that ends a name, and the type that some languages write after it. */
const CLOSE = raw`(?:\\{0,3}["'\x60]\]?)?(?::[ ]?[A-Za-z]{1,16}[ ]?(?==[^=]))?`;
const IS = raw`[ \t]{0,8}(?:=>|:=|=(?!=)|:(?!:)|%3d)[ \t]{0,8}`;
const NAMED = NAME + CLOSE + IS;

/** Words that stand in the place of a secret: types, placeholders, and names for the secret itself. */
const NO_WORD = raw`(?!\[redacted:|[$<{(%]|(?:string|str|number|int|bool|boolean|bytes|buffer|unknown|undefined|null|none|nil|an[y]|never|void|object|true|false|optional|required|await|async|function|new|this|self|return|typeof|password|passwd|secret|token|credentials?|example|placeholder|include|omit|same-origin|bearer|basic|changeme|x{3,64}|\*{3,64})(?![\w@#!$%^*+~-]))`;
/** `a.b.c` and `f(`: code that gets the secret from elsewhere. */
const NO_CODE = raw`(?![A-Za-z_$][\w$]{0,64}(?:\??\.[A-Za-z_$][\w$]{0,64}){0,8}[(\[]|[A-Za-z_$][A-Za-z_$]{0,64}(?:\??\.[A-Za-z_$][A-Za-z_$]{0,64}){1,8}(?![\w@#!$%^*+~-]))`;
/** Excludes paths and the second half of an operator; base64 may begin with a slash as well. */
const NO_PATH = raw`(?![=|]|\.{1,2}\/|\/(?!(?=[A-Za-z/]{0,64}[0-9+])[A-Za-z0-9+/]{23,128}={0,2}(?![\w./-])))`;
const BARE = raw`[^\s"'\x60,;&<>(){}\[\]\\]`;
const TO_QUOTE = /[^"'`\r\n\\]{1,4096}/y;
const TO_SPACE = /[^\s"'`,;&<>\\]{1,4096}/y;

function labelled(
  kind: string,
  begins: readonly string[],
  label: string,
  known: string,
  more: RegExp = TO_SPACE,
): SecretRule {
  return { kind, begins, label: new RegExp(label, 'iy'), known: new RegExp(known, 'iy'), more };
}

/** Words that follow an option in a sentence about it. */
const NO_PROSE = raw`(?!-|(?:to|and|or|is|are|was|for|with|in|on|as|if|the|a|an|that|which|from|when|of|not|option|flag|flags)(?![\w-]))`;

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
  // Its name in one place and its value in the next, as lists of settings are written.
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

  // Command lines.
  labelled(
    'secret',
    ['--'],
    raw`(?:[a-z]{1,16}-){0,3}(?:pass|password|passwd|passphrase|pw|pwd|token|secret|credentials?|api-?key|access-?key|secret-?key|account-?key|auth-?key)(?:=|\s{1,4})["']?`,
    raw`${NO_WORD}${NO_PROSE}${NO_PATH}[^\s"'\x60]{1,4096}`,
    /[^\s"'`]{1,4096}/y,
  ),
  labelled(
    'user-password',
    ['-u', '--user', '--proxy-user'],
    raw`(?<=(?:^|[\s"'[])-{1,2}[\w-]{1,10})(?:=|\s{0,4})["']?(?![$<{])[^\s:"'/=]{1,128}:`,
    raw`(?![$<{/]|\d{1,6}(?![^\s"'])|(?<=[\s"'=u]([\w-]{1,64}):)\1(?![^\s"']))[^\s"']{1,256}`,
    TO_SPACE,
  ),
  labelled(
    'secret',
    ['-p'],
    raw`(?<=(?:sshpass|mysql|mysqldump|mysqladmin|mariadb|docker login|podman login|redis-cli|psql|7z[ar]?)(?:\s[^\n|;&]{0,160})?\s-p)["']?`,
    raw`(?=\S)(?![$<-])[^\s"']{1,256}`,
  ),
  labelled('secret', ['sshpass -p'], raw`\s{1,4}["']?`, raw`(?![$<-])[^\s"']{1,256}`),
  labelled(
    'secret',
    ['docker login'],
    raw`(?:\s[^\n|;&]{0,160}?)?\s-p\s{1,4}["']?`,
    raw`(?![$<-])[^\s"']{1,256}`,
  ),
  labelled(
    'secret',
    ['-p', '-w'],
    raw`(?=\s{1,4}["']?[^\s"'$<-])(?<=(?:(?:^|[\s"'(;|&])(?:un)?zip\s(?:[^\n|;&]{0,80}\s)?-p|ldap(?:add|delete|modify|passwd|search|whoami)\s(?:[^\n|;&]{0,80}\s)?-w))\s{1,4}["']?`,
    raw`[^\s"']{1,256}`,
  ),
  labelled('secret', ['pass:'], raw`(?<=-pass(?:in|out)?[ =]{1,4}["']?pass:)`, raw`(?![$<])[^\s"']{1,256}`),
  labelled(
    'netrc-password',
    ['login'],
    raw`\s{1,4}\S{1,128}\s{1,8}password\s{1,4}`,
    raw`\S{1,256}`,
    /\S{1,4096}/y,
  ),

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
