import { AGO, COPY, LEFT, UTC, ZONE } from './page-names.ts';

const clock = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const distance = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const SECOND = [1, 'second'] as const;
const UNITS = [[86_400, 'day'], [3_600, 'hour'], [60, 'minute'], SECOND] as const;

/** Says times as the owner's clock does, and makes the copy buttons work. */
export function refine(root: ParentNode): void {
  for (const time of root.querySelectorAll<HTMLTimeElement>('time[datetime]')) {
    const local = clock.format(new Date(time.dateTime));
    const isCounted = time.hasAttribute(AGO) || time.hasAttribute(LEFT);
    time.title = isCounted ? local : time.dateTime;
    if (!isCounted) time.textContent = local;
  }
  countTimes(root);
  for (const form of root.querySelectorAll('form')) useLocalTimes(form);
  // Browsers give the clipboard only to pages over https or from this computer.
  if (!navigator.clipboard) return;
  for (const button of root.querySelectorAll<HTMLButtonElement>(`button[${COPY}]`)) {
    button.hidden = false;
    button.onclick = () => copyFrom(button);
  }
}

/** Brings the times that count up or down to this moment. */
export function countTimes(root: ParentNode): void {
  for (const time of root.querySelectorAll<HTMLTimeElement>(`time[${AGO}]`)) {
    const seconds = secondsUntil(time);
    const [size, unit] = UNITS.find(([least]) => Math.abs(seconds) >= least) ?? SECOND;
    const text = distance.format(Math.trunc(seconds / size), unit);
    // A text that stays the same is not written again, so that it can be selected.
    if (time.textContent !== text) time.textContent = text;
  }
  for (const time of root.querySelectorAll<HTMLTimeElement>(`time[${LEFT}]`)) {
    const seconds = Math.max(0, secondsUntil(time));
    const clockFace = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    time.textContent = seconds === 0 ? 'no time left' : `${clockFace} left`;
  }
}

function secondsUntil(time: HTMLTimeElement): number {
  return Math.round((new Date(time.dateTime).getTime() - Date.now()) / 1_000);
}

/** Shows the times of a form as the owner's clock does, and sends them in UTC. */
function useLocalTimes(form: HTMLFormElement): void {
  const fields = [...form.querySelectorAll<HTMLInputElement>(`input[${UTC}]`)];
  if (fields.length === 0) return;
  for (const field of fields) {
    field.removeAttribute(UTC);
    if (field.value !== '') field.value = asField(new Date(`${field.value}Z`), -1);
  }
  for (const zone of form.querySelectorAll(`[${ZONE}]`)) zone.textContent = '';
  form.addEventListener('formdata', ({ formData }) => {
    for (const { name, value } of fields) if (value !== '') formData.set(name, asField(new Date(value), 0));
  });
}

/** Writes a time for a field: in UTC with 0, as the clock here shows it with -1. */
function asField(time: Date, zones: 0 | -1): string {
  return new Date(time.getTime() + zones * time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

async function copyFrom(button: HTMLButtonElement): Promise<void> {
  await navigator.clipboard.writeText(button.getAttribute(COPY) ?? '');
  button.textContent = 'Copied';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 1_500);
}
