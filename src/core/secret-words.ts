import type { SecretRule } from './find-secrets.ts';

const raw = String.raw;

/** Words for a password in languages other than English. */
export const FOREIGN_PASSWORDS = [
  ...['passwort', 'kennwort', 'wachtwoord', 'senha', 'contraseña', 'contrasena'],
  ...['motdepasse', 'mot de passe', 'mot_de_passe', 'mot-de-passe'],
  ...['пароль', '密码', '密碼', 'パスワード', '비밀번호'],
];
/** `key` alone is mostly harmless, so it counts only with a word for something guarded. */
export const GUARDED = raw`(?:api|app|access|account|auth|client|deploy|encryption|license|master|private|secret|service|session|shared|signing|storage|webhook)`;

/** Words that stand in the place of a secret: types, placeholders, and names for the secret itself. */
export const NO_WORD = raw`(?!\[redacted:|[$<{(%]|(?:string|str|number|int|bool|boolean|bytes|buffer|unknown|undefined|null|none|nil|an[y]|never|void|object|true|false|optional|required|await|async|function|new|this|self|return|typeof|password|passwd|secret|token|credentials?|example|placeholder|include|omit|same-origin|bearer|basic|changeme|x{3,64}|\*{3,64})(?![\w@#!$%^*+~-]))`;
/** `a.b.c` and `f(`: code that gets the secret from elsewhere. */
export const NO_CODE = raw`(?![A-Za-z_$][\w$]{0,64}(?:\??\.[A-Za-z_$][\w$]{0,64}){0,8}[(\[]|[A-Za-z_$][A-Za-z_$]{0,64}(?:\??\.[A-Za-z_$][A-Za-z_$]{0,64}){1,8}(?![\w@#!$%^*+~-]))`;
/** Excludes paths and the second half of an operator; base64 may begin with a slash as well. */
export const NO_PATH = raw`(?![=|]|\.{1,2}\/|\/(?!(?=[A-Za-z/]{0,64}[0-9+])[A-Za-z0-9+/]{23,128}={0,2}(?![\w./-])))`;
export const TO_QUOTE = /[^"'`\r\n\\]{1,4096}/y;
export const TO_SPACE = /[^\s"'`,;&<>\\]{1,4096}/y;

/** Makes the rule for a secret that some text announces. */
export function labelled(
  kind: string,
  begins: readonly string[],
  label: string,
  known: string,
  more: RegExp = TO_SPACE,
): SecretRule {
  return { kind, begins, label: new RegExp(label, 'iy'), known: new RegExp(known, 'iy'), more };
}
