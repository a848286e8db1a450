/**
 * Tries a rule on past calls while the owner writes it. The server computes the result, as it does without
 * scripts.
 */
export const ruleScript = `
const form = document.getElementById('rule');
let trying = new AbortController();
let timer;
const tryIt = async () => {
  trying.abort();
  trying = new AbortController();
  try {
    const answer = await fetch('/rules/preview', { method: 'POST', body: new URLSearchParams(new FormData(form)), signal: trying.signal, redirect: 'manual' });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const verdict = document.getElementById('verdict');
    verdict.replaceChildren(...fresh.getElementById('verdict').childNodes);
    for (const problem of form.querySelectorAll('.field-problem')) {
      const field = form.elements[problem.id.slice('problem-'.length)];
      const newer = fresh.getElementById(problem.id);
      // Nobody is told off for what they have not come to yet.
      const text = field.value === '' ? '' : newer.textContent;
      problem.textContent = text;
      problem.hidden = text === '';
      if (text) field.setAttribute('aria-invalid', 'true');
      else field.removeAttribute('aria-invalid');
    }
    form.dispatchEvent(new CustomEvent('tried'));
  } catch (error) {
    if (error.name !== 'AbortError') throw error;
  }
};
form.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(tryIt, 250);
});
`;
