/** Runs passkey ceremonies: fetches the options, asks the authenticator, and posts what it answers. */
import type { Failure } from '../../core/failure.ts';
import type { Confirmed, SignedIn } from '../../owner/passkey-answers.ts';
import { field, first } from '../browser/dom.browser.ts';
import { CEREMONY, type Ceremony, FIELD } from './passkey-names.ts';

/** The place that keeps the typed name of a new passkey while its owner proves who they are. */
const TYPED_NAME = 'passkey-name';

const ceremonies: Readonly<Record<Ceremony, (form: HTMLFormElement) => Promise<void>>> = {
  async register(form) {
    const csrf = fieldText(form, FIELD.csrf);
    const options = await post<PublicKeyCredentialCreationOptionsJSON>('register/options', { csrf });
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    const response = answerOf(await navigator.credentials.create({ publicKey }));
    await post('register', { csrf, name: fieldText(form, FIELD.name), response });
    location.reload();
  },
  async confirm(form) {
    const csrf = fieldText(form, FIELD.csrf);
    const response = await assertion('confirm', csrf);
    const proven = await post<Confirmed>('confirm', { csrf, response });
    field(form, FIELD.csrf, HTMLInputElement).value = proven.csrf;
    // The form repeats the fields of another one. If a field is named "submit", it hides the form's own method.
    HTMLFormElement.prototype.submit.call(form);
  },
  async signIn(form) {
    const csrf = fieldText(form, FIELD.csrf);
    const response = await assertion('sign-in', csrf);
    const signedIn = await post<SignedIn>('sign-in', { csrf, next: fieldText(form, FIELD.next), response });
    location.assign(signedIn.location);
  },
};

/** An authenticator's answer as JSON. */
type Answer = ReturnType<PublicKeyCredential['toJSON']>;

/** A failure as the gateway reports it. */
class Refused extends Error {
  readonly code: string;
  constructor({ code, message, suggestion }: Failure) {
    super(`${message} ${suggestion}`);
    this.code = code;
  }
}

async function post<Reply>(path: string, body: object): Promise<Reply> {
  const answer = await fetch(`/passkeys/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const json = await answer.json();
  if (!answer.ok) throw new Refused(json);
  return json;
}

/** Asks for one of the owner's passkeys. */
async function assertion(ceremony: 'confirm' | 'sign-in', csrf: string): Promise<Answer> {
  const options = await post<PublicKeyCredentialRequestOptionsJSON>(`${ceremony}/options`, { csrf });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return answerOf(await navigator.credentials.get({ publicKey }));
}

/** Writes what an authenticator answered as JSON. The browser asked for a public key, so it is nothing else. */
function answerOf(credential: Credential | null): Answer {
  if (!credential) throw new Error('The browser gave no passkey.');
  return (credential as PublicKeyCredential).toJSON();
}

function fieldText(form: HTMLFormElement, name: string): string {
  return field(form, name, HTMLInputElement).value;
}

async function run(form: HTMLFormElement, ceremony: (form: HTMLFormElement) => Promise<void>): Promise<void> {
  const problem = first(form, '[role=alert]', HTMLElement);
  const button = first(form, 'button', HTMLButtonElement);
  problem.textContent = '';
  button.disabled = true;
  try {
    await ceremony(form);
  } catch (error) {
    if (error instanceof Refused && error.code === 'proof_needed') {
      sessionStorage.setItem(TYPED_NAME, fieldText(form, FIELD.name));
      location.assign(`/prove?next=${encodeURIComponent(location.pathname + location.search)}`);
      return;
    }
    problem.textContent = wordsFor(error);
  }
  button.disabled = false;
}

function wordsFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const wasCancelled = error.name === 'NotAllowedError';
  return wasCancelled ? 'The passkey was not used. Try again when you are ready.' : error.message;
}

const typedName = sessionStorage.getItem(TYPED_NAME);
sessionStorage.removeItem(TYPED_NAME);
for (const [name, ceremony] of Object.entries(ceremonies)) {
  for (const form of document.querySelectorAll<HTMLFormElement>(`form[${CEREMONY}=${name}]`)) {
    if (typedName && name === 'register') field(form, FIELD.name, HTMLInputElement).value = typedName;
    // Older browsers know passkeys, but not these helpers. There the form stays hidden.
    if (!window.PublicKeyCredential?.parseCreationOptionsFromJSON) continue;
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      run(form, ceremony);
    });
  }
}
