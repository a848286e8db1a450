import { button, element, type Inside, line } from './elements.browser.ts';
import { type Host, recordIn, textIn } from './host.browser.ts';

/** The state of a call that waits, or waited, for its owner: an answer of `waiting_call`. */
export type Waiting = Record<string, unknown>;

/** What a state means for the person who looks, and whether the card goes on following it. */
const STATES: Readonly<Record<string, readonly [tone: string, words: string]>> = {
  pending: ['warn', 'Waiting for your approval'],
  approved: ['good', 'Approved. It runs when it is called again'],
  denied: ['bad', 'Denied'],
  expired: ['calm', 'Expired. If it is called again, you are asked again'],
  withdrawn: ['calm', 'Withdrawn by its caller'],
};

/** The states of a call that was let in. */
const RUNS = new Set(['consumed', 'running', 'ended']);

/** Tells if nothing more will become of a call. */
export function isOver({ state, ran }: Waiting): boolean {
  return RUNS.has(textIn(state))
    ? textIn(recordIn(ran).outcome) !== ''
    : !(state === 'pending' || state === 'approved' || state === 'none');
}

/** Shows how a call stands. `left` is the time left in seconds. */
export function waitingView(waiting: Waiting, left: number, host: Host): Inside[] {
  const { state, code, note, address } = waiting;
  const [tone, words] = STATES[textIn(state)] ?? ranWords(recordIn(waiting.ran));
  const isOpen = state === 'pending' || state === 'approved';
  return [
    element(
      'p',
      'state',
      line('span', `badge ${tone}`, words),
      ...(textIn(code) === '' ? [] : [line('span', 'mono', textIn(code))]),
      ...(state === 'pending' ? [line('span', 'left', clock(left))] : []),
    ),
    ...(textIn(note) === ''
      ? []
      : [element('p', 'said', 'The owner said: ', line('q', '', textIn(note), 500))]),
    ...(isOpen ? opener(textIn(address), host) : []),
  ];
}

function ranWords({ outcome, code }: Record<string, unknown>): readonly [string, string] {
  if (textIn(outcome) === '') return ['warn', 'Running'];
  return outcome === 'ok' ? ['good', 'It ran'] : ['bad', `It ended: ${textIn(code) || textIn(outcome)}`];
}

/** Gives a call's question in one sentence. */
export function sentence(call: unknown): Inside[] | undefined {
  const { who, does, what, where } = recordIn(recordIn(call).sentence);
  if (textIn(does) === '') return undefined;
  return [`${textIn(who)} wants to ${textIn(does)} `, line('code', '', textIn(what)), textIn(where)];
}

/** Leads to the page where the owner decides. Nothing else in a card has to do with that. */
function opener(address: string, host: Host): HTMLElement[] {
  if (!/^https?:\/\//.test(address)) return [];
  const hint = line('p', 'quiet', 'You decide there, signed in. This card decides nothing.');
  const written = line('p', 'mono address', address, 500);
  if (!host.canOpen) return [written, hint];
  const failed = () => open.replaceWith(written);
  const open = button('Decide in Bowline', () => {
    host
      .request('ui/open-link', { url: address })
      .then((said) => recordIn(said).isError === true && failed(), failed);
  });
  return [element('p', 'row', open), hint];
}

/** Writes a time left as a clock does. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')} left`;
}
