/** Runs passkey ceremonies in the browser: fetches options, asks the authenticator, posts its answer. */
export const passkeyScript = `
const post = async (path, body) => {
  const answer = await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const json = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(json.message + ' ' + json.suggestion), { code: json.code });
  return json;
};
const ceremonies = {
  async register({ csrf, name }) {
    const options = await post('/passkeys/register/options', { csrf });
    const credential = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
    await post('/passkeys/register', { csrf, name, response: credential.toJSON() });
    location.reload();
  },
  async confirm({ csrf }, form) {
    const options = await post('/passkeys/confirm/options', { csrf });
    const credential = await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
    const proven = await post('/passkeys/confirm', { csrf, response: credential.toJSON() });
    form.querySelector('input[name=csrf]').value = proven.csrf;
    // By its prototype: a field of the form may be called "submit".
    HTMLFormElement.prototype.submit.call(form);
  },
  async signIn({ csrf, next }) {
    const options = await post('/passkeys/sign-in/options', { csrf });
    const credential = await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
    const { location: to } = await post('/passkeys/sign-in', { csrf, next, response: credential.toJSON() });
    location.assign(to);
  },
};
const typed = sessionStorage.getItem('passkey-name');
sessionStorage.removeItem('passkey-name');
for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (typed && form.dataset.passkey === 'register') form.elements.name.value = typed;
  if (!window.PublicKeyCredential || !PublicKeyCredential.parseCreationOptionsFromJSON) continue;
  form.hidden = false;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const problem = form.querySelector('[role=alert]');
    const button = form.querySelector('button');
    problem.textContent = '';
    button.disabled = true;
    try {
      await ceremonies[form.dataset.passkey](Object.fromEntries(new FormData(form)), form);
    } catch (error) {
      if (error.code === 'proof_needed') {
        sessionStorage.setItem('passkey-name', form.elements.name.value);
        location.assign('/prove?next=' + encodeURIComponent(location.pathname + location.search));
        return;
      }
      problem.textContent = error.name === 'NotAllowedError' ? 'The passkey was not used. Try again when you are ready.' : error.message;
    }
    button.disabled = false;
  });
}
`;
