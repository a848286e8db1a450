import type { SecretRule } from './find-secrets.ts';
import { labelled, NO_PATH, NO_WORD, TO_SPACE } from './secret-words.ts';

const raw = String.raw;

/** Words that follow an option in a sentence about it. */
const NO_PROSE = raw`(?!-|(?:to|and|or|is|are|was|for|with|in|on|as|if|the|a|an|that|which|from|when|of|not|option|flag|flags)(?![\w-]))`;

/** The names of options that take a secret. */
const OPTION = raw`(?:[a-z]{1,16}-){0,3}(?:pass|password|passwd|passphrase|pw|pwd|token|secret|secret-string|credentials?|api-?key|access-?key|secret-?key|account-?key|auth-?key)`;
/** The text between two arguments of a list. */
const NEXT = raw`\\{0,3}["'],\s{0,8}\\{0,3}["']`;
/** The text between two arguments on a command line or in a list. */
const GAP = raw`(?:\s{1,4}["']?|${NEXT})`;
/** Options of `htpasswd`, with a number after `C`. `b` takes the password from the arguments, `n` needs no file. */
const LETTERS = '[bcdimnprsv25]';
const HTPASSWD = raw`(?:${GAP}-${LETTERS}{1,6}["']?(?:(?<=C["']?)\s{1,4}\d{1,2}(?=\s))?)`;
const htpasswdWith = (letter: string) => raw`${HTPASSWD}{0,3}?${GAP}-${LETTERS}{0,5}${letter}`;
const WORD = raw`(?!-)[^\s"',-][^\s"',]{0,255}`;
/** Settings as arguments: the name of the first, its value, and all that follows them. */
const FIRST_NAME = raw`(?:[\w.-]{1,64}=[@$<-]\S{0,256}\s{1,4}){0,4}[\w.-]{1,64}=`;
const VALUE = raw`(?:"[^"\r\n]{1,1024}"|'[^'\r\n]{1,1024}'|[^\s"'|;&<>]{1,1024})`;
const FIRST_VALUE = raw`(?![@$<]|["'][@$<])${VALUE}`;
const MORE_SETTINGS = new RegExp(
  raw`[^\s"'|;&<>]{1,4096}|\s{1,4}(?:\\\r?\n\s{0,16})?[\w.-]{1,64}=${VALUE}`,
  'y',
);

/** Secrets among the arguments of a command, recognised by what stands before them. */
export const ARGUMENTS: readonly SecretRule[] = [
  labelled(
    'secret',
    ['--'],
    raw`${OPTION}(?:=|\s{1,4})["']?`,
    raw`${NO_WORD}${NO_PROSE}${NO_PATH}[^\s"'\x60]{1,4096}`,
    /[^\s"'`]{1,4096}/y,
  ),
  labelled(
    'user-password',
    ['-u', '--user', '--proxy-user'],
    raw`(?<=(?:^|[\s"'[])-{1,2}[\w-]{1,10})(?:${NEXT}|(?:=|\s{0,4})["']?)(?![$<{])[^\s:"'/=[]{1,128}:`,
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

  // Lists of arguments, as in JSON or a Dockerfile.
  labelled(
    'secret',
    [`"--`, `'--`],
    raw`${OPTION}${NEXT}`,
    raw`${NO_WORD}(?![-$<{])[^\s"'\x60\\]{1,4096}(?=\\{0,3}["'])`,
  ),
  labelled(
    'secret',
    [`"-p`, `'-p`],
    raw`(?<=["'](?:docker|podman)${NEXT}login\\{0,3}["'][^\n|;&\]]{0,80}["']-p)${NEXT}`,
    raw`(?![$<-])[^\s"'\\]{1,256}`,
  ),
  labelled('secret', [`"-p`, `'-p`], raw`(?<=["'/]sshpass${NEXT}-p)${NEXT}`, raw`(?![$<-])[^\s"'\\]{1,256}`),
  labelled(
    'secret',
    [`"-p`, `'-p`],
    raw`(?<=["'/](?:mysql|mysqldump|mysqladmin|mariadb|7z[ar]?)\\{0,3}["'],(?:[^\n\]]{0,64},)?\s{0,4}\\{0,3}["']-p)`,
    raw`(?![$<])[^\s"'\\]{1,256}`,
  ),

  // Commands whose arguments have no names.
  labelled(
    'secret',
    ['htpasswd'],
    raw`(?=[\\"',\s]{1,16}-)(?=${htpasswdWith('b')})(?:(?=${htpasswdWith('n')})${HTPASSWD}{1,4}|${HTPASSWD}{1,4}${GAP}${WORD}["']?)${GAP}${WORD}["']?${GAP}`,
    raw`(?![$<-])[^\s"'|;&\\]{1,256}`,
  ),
  labelled(
    'user-password',
    ['-u'],
    raw`(?<=(?:^|[\s"'[])-u)(?:${NEXT}|\s{0,4}["']?)(?:[\w.-]{1,64}[\\/])?[\w.-]{1,64}%`,
    raw`[^\s"'%]{3,256}`,
  ),

  labelled(
    'user-password',
    ['echo ', 'printf '],
    raw`(?:-\w{1,3}\s)?["']?(?=[^\n|]{1,96}\|\s{0,4}(?:sudo\s)?[\w\/]{0,16}chpasswd)(?:%s\\n["']\s["']?)?[\w.-]{1,32}:`,
    raw`(?![$<])[^\s"'|\\]{1,256}`,
  ),
  labelled(
    'user-password',
    ['chpasswd'],
    raw`(?:\s-\w{1,4}){0,2}\s{0,4}(?:<<<\s{0,4}["']?|<<-?["']?\w{1,16}["']?\r?\n)[\w.-]{1,64}:`,
    raw`(?![$<])[^\s"']{1,256}`,
  ),
  labelled(
    'secret',
    ['net user ', 'net.exe user ', 'net1 user '],
    raw`["']?(?![/"'])[\w.\\-]{1,64}["']?\s{1,4}["']?`,
    raw`${NO_PROSE}(?![/$<%*&|])(?:(?=[^\s"'|&]{0,64}[0-9!@#%^*~])[^\s"'|&]{3,256}|[^\s"'|&.,]{3,256}(?=["']?\s{0,4}(?:\/|$|[\r\n"'&|])))`,
  ),

  // Settings as arguments.
  labelled(
    'secret',
    ['put-parameter'],
    raw`["'\s,][^|;&]{0,256}?--value(?:${NEXT}|(?:=|\s{1,4})["']?)`,
    raw`(?![$<]|file:)[^\s"'|;&\\]{1,4096}`,
  ),
  labelled(
    'secret',
    ['vault kv p', 'bao kv p', 'vault write', 'bao write'],
    raw`(?:(?<=kv p)(?:ut|atch))?(?:\s{1,4}-\S{1,128}){0,4}\s{1,4}[^\s=-][^\s=]{0,255}\s{1,4}(?:\\\r?\n\s{0,16})?${FIRST_NAME}`,
    FIRST_VALUE,
    MORE_SETTINGS,
  ),
  labelled(
    'secret',
    ['secrets set', 'config:set'],
    raw`(?:\s{1,4}-{1,2}[a-z]{1,16}(?:\s{1,4}|=)[\w.-]{1,64}){0,4}\s{1,4}${FIRST_NAME}`,
    FIRST_VALUE,
    MORE_SETTINGS,
  ),
  labelled(
    'secret',
    ['--from-literal'],
    raw`(?<=secret\s[^\n|;&]{0,256})(?:=|\s{1,4})["']?[\w.-]{1,128}=`,
    FIRST_VALUE,
  ),
];
