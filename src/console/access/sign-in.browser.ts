/** Signs in with the one-time code of a link. A program that only opens the link for a preview does not use it up. */
import { byId, field } from '../browser/dom.browser.ts';
import { CODE_FIELD, CODE_FORM, CODE_MARK } from './sign-in-names.ts';

if (location.hash.startsWith(CODE_MARK)) {
  const form = byId(CODE_FORM, HTMLFormElement);
  field(form, CODE_FIELD, HTMLInputElement).value = location.hash.slice(CODE_MARK.length);
  // The code leaves the address and the history at once.
  history.replaceState(null, '', location.pathname + location.search);
  // Send the form although its required field for the key is empty.
  HTMLFormElement.prototype.submit.call(form);
}
