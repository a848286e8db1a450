/// <reference path="./text.d.ts" />
import passkeys from '../access/passkeys.browser.ts?text';
import signIn from '../access/sign-in.browser.ts?text';
import live from '../parts/live.browser.ts?text';
import rule from '../rules/rule.browser.ts?text';
import push from '../settings/push.browser.ts?text';
import serviceWorker from '../settings/service-worker.browser.ts?text';
import styles from './console.css?text';

/** The built scripts and styles, by the names under which pages load them. */
export const texts: Readonly<Record<string, string>> = {
  'console.css': styles,
  'console.js': live,
  'passkeys.js': passkeys,
  'push.js': push,
  'rules.js': rule,
  'sign-in.js': signIn,
};

export { serviceWorker };
