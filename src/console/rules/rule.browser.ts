/** Tries a rule on past calls while its owner writes it. The server computes the result, as it does without scripts. */
import { byId, pageIn } from '../browser/dom.browser.ts';
import { problemId } from '../parts/page-names.ts';
import { RULE_FORM, VERDICT } from './rule-names.ts';

const PAUSE_MS = 250;

const form = byId(RULE_FORM, HTMLFormElement);
let trying = new AbortController();
let timer: ReturnType<typeof setTimeout> | undefined;

form.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(tryRule, PAUSE_MS);
});

/** Tries the rule as it is typed now. The answer to an older text no longer counts. */
async function tryRule(): Promise<void> {
  trying.abort();
  trying = new AbortController();
  try {
    const answer = await fetch('/rules/preview', {
      method: 'POST',
      body: new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)])),
      signal: trying.signal,
      redirect: 'manual',
    });
    if (!answer.ok) return;
    show(await pageIn(answer));
    form.dispatchEvent(new CustomEvent('tried'));
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
  }
}

function show(fresh: Document): void {
  byId(VERDICT, HTMLElement).replaceChildren(...(fresh.getElementById(VERDICT)?.childNodes ?? []));
  for (const control of form.querySelectorAll<Field>('input[name], select[name], textarea[name]')) {
    const problem = document.getElementById(problemId(control.name));
    if (!problem) continue;
    // An empty field is not wrong yet: its owner may still come to it.
    const text = control.value === '' ? '' : (fresh.getElementById(problem.id)?.textContent ?? '');
    problem.textContent = text;
    problem.hidden = text === '';
    if (text) control.setAttribute('aria-invalid', 'true');
    else control.removeAttribute('aria-invalid');
  }
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
