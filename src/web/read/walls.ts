import { plainText, visit } from './measure.ts';
import type { El, Page } from './tree.ts';

/** The obstacle between the reader and the text. */
export type Wall = 'bot' | 'login' | 'consent' | 'error';

/** A page with more text than this is read, whatever its words. */
const SHORT = 1_500;

const anyOf = (phrases: readonly string[]) => new RegExp(phrases.join('|'), 'i');

const BOT = anyOf([
  'checking (?:if the site connection is secure|your browser)',
  'just a moment\\.\\.\\.',
  'attention required! \\| cloudflare',
  'verify(?:ing)? (?:that )?you are (?:a )?(?:human|not a robot)',
  'are you a (?:human|robot)',
  'enable javascript and cookies to continue',
  'unusual traffic from your',
  'pardon our interruption',
  'access (?:to this page has been|has been) denied',
  'request unsuccessful\\. incapsula',
  'complete the (?:security check|captcha)',
  'press (?:&|and) hold',
  'bot (?:detection|protection)',
  'ddos protection by',
  'sorry, you have been blocked',
  'please solve this captcha',
]);
const LOGIN = anyOf([
  '(?:log ?in|sign ?in) (?:to|or sign up to) (?:continue|view|read|access|see|your account)',
  'you (?:must|need to) (?:be logged in|log ?in|sign ?in)',
  'please (?:log ?in|sign ?in)',
  'members? only',
  'this content is (?:only available|for subscribers)',
  'session has expired',
]);
const CONSENT =
  /(?:before you continue to|we (?:and our \d* ?partners )?(?:value|care about) your privacy|bevor sie fortfahren|accept all.{0,80}reject all)/i;
const ERROR =
  /^(?:\W*(?:error )?(?:40[034]|410|50[0234])\b|.{0,40}(?:page not found|not found|bad gateway|service unavailable|internal server error|gateway time-?out))/i;

const hasPassword = (root: El): boolean => {
  let found = false;
  visit(root, (el) => {
    if (
      /(?:^|[\s_-])(?:login|log-in|signin|sign-in|password)(?:[\s_-]|$)/.test(el.names) &&
      el.tag === 'form'
    )
      found = true;
    return !found;
  });
  return found;
};

/** Names the wall that a page shows instead of text of its own. */
export function wallOf(title: string, root: El): Wall | undefined {
  if (root.chars > SHORT) return undefined;
  const text = plainText(root);
  const all = `${title}\n${text}`;
  if (BOT.test(all)) return 'bot';
  if (LOGIN.test(all) || (hasPassword(root) && text.length < 400)) return 'login';
  if (CONSENT.test(all)) return 'consent';
  return ERROR.test(title) && text.length < 600 ? 'error' : undefined;
}

const APP_ROOT =
  /(?:^|\s)(?:root|app|__next|__nuxt|___gatsby|application|main-app|q-app|svelte|ember-application|react-root|data-preloaded)(?:\s|$)/;
const ASKS_FOR_SCRIPT =
  /(?:enable|activate|requires?|need|turn on|without|aktivieren|activer|activa|habilite?)\b.{0,40}java ?script|java ?script.{0,40}(?:disabled|required|enabled|needed)/i;

/** Tells whether only a script makes the text: the page has hardly any, and scripts enough to make it. */
export function needsScript(page: Page, text: string, scriptChars: number, asked: string): boolean {
  if (text.length > 600) return false;
  if (ASKS_FOR_SCRIPT.test(asked) || ASKS_FOR_SCRIPT.test(text)) return true;
  let mount = false;
  visit(page.root, (el) => {
    if (el.names && APP_ROOT.test(el.names)) mount = true;
    return !mount;
  });
  return text.length < 200 && scriptChars > 2_000 ? true : mount && scriptChars > 500 && text.length < 400;
}
