/**
 * Runs in the card that a chat shows of a call. It shows the call, follows it while it waits for the owner, and shows how
 * it ended. It has no token and no session, and can reach nothing but the program that shows it.
 */
import { ERROR_META } from '../../core/meta-names.ts';
import { element, type Inside, line, lines, linesOf } from './elements.browser.ts';
import { type Host, meetHost, recordIn, textIn } from './host.browser.ts';
import { liveView } from './live.browser.ts';
import { failureIn, type Result, resultView, waitingIn } from './results.browser.ts';
import { sentChange } from './sent-change.browser.ts';
import { clock, isOver, sentence, type Waiting, waitingView } from './waiting.browser.ts';

/** A call that ends sooner waited for nobody. */
const FIRST_LOOK_MS = 1_200;
const LOOK_MS = 2_000;
/** The time between two looks after the first minute. */
const SLOW_LOOK_MS = 5_000;
const FAST_FOR_MS = 60_000;
/** An approval that is older than the card by more than this belongs to an earlier call like this one. */
const EARLIER_S = 30;
const MAX_FAILURES = 5;

const beganAt = performance.now();
let tool = '';
let args: Record<string, unknown> | undefined;
let result: Result | undefined;
let waiting: Waiting | undefined;
let leftUntil = 0;
/** What the call is, which only the first answer says. */
let call: unknown;
let cancelled = false;
let failures = 0;
let shown = '';

let host: Host | undefined;
const live = liveView();

const main = document.querySelector('main') ?? document.body;
begin();

async function begin(): Promise<void> {
  const met = await meetHost(hear);
  host = met;
  takeContext(met.context);
  new ResizeObserver(() => tellSize(met)).observe(main);
  setInterval(countDown, 1_000);
  draw();
  follow(met);
}

function hear(method: string, params: Record<string, unknown>): void {
  if (method === 'ui/notifications/tool-input') args = recordIn(params.arguments);
  else if (method === 'ui/notifications/tool-result') result = params;
  else if (method === 'ui/notifications/tool-cancelled') cancelled = true;
  else if (method === 'ui/notifications/host-context-changed') takeContext(params);
  else return;
  draw();
}

function takeContext({ theme, toolInfo }: Readonly<Record<string, unknown>>): void {
  tool = textIn(recordIn(recordIn(toolInfo).tool).name) || tool;
  if (theme === 'light' || theme === 'dark') document.documentElement.style.colorScheme = theme;
}

/** With these answers the call goes on, although its caller has one. */
const GOES_ON = new Set(['approval_required', 'still_running']);

function hasEnded(): boolean {
  return cancelled || (result !== undefined && !GOES_ON.has(textIn(failureIn(result).code)));
}

/** Asks again and again how the call stands, as long as it can change and somebody can see the card. */
function follow(met: Host): void {
  if (!met.canCall) return;
  const next = async () => {
    if (hasEnded() || (waiting && isOver(waiting)) || failures >= MAX_FAILURES) return;
    if (document.visibilityState === 'visible' && args) await look(met, args);
    const isYoung = performance.now() - beganAt < FAST_FOR_MS;
    setTimeout(next, isYoung ? LOOK_MS : SLOW_LOOK_MS);
  };
  setTimeout(next, FIRST_LOOK_MS);
}

async function look(met: Host, given: Record<string, unknown>): Promise<void> {
  const sure = surely();
  const ask = (name: string, sent: object) => met.request('tools/call', { name, arguments: sent });
  const asked = { ...(sure ?? { tool, arguments: given }), known: call !== undefined };
  try {
    const said = recordIn(await ask('waiting_call', asked));
    failures = said.isError === true ? failures + 1 : 0;
    take(recordIn(said.structuredContent), sure !== undefined);
    const { call_id: id, outcome } = recordIn(waiting?.ran);
    if (waiting && isOver(waiting) && textIn(outcome) !== '' && !hasEnded()) {
      const end = recordIn(recordIn(await ask('get_call', { call_id: textIn(id) })).structuredContent);
      if (end.state === 'done') result = { structuredContent: end.result };
      else if (end.state === 'failed') result = { isError: true, _meta: { [ERROR_META]: end.error } };
    }
  } catch {
    failures += 1;
  }
  draw();
}

/** Names the call by what is only its own: its approval, or its run. */
function surely(): { readonly code: string } | { readonly call_id: string } | undefined {
  const failure = failureIn(result ?? {});
  const running = textIn(failure.code === 'still_running' ? failure.call_id : recordIn(waiting?.ran).call_id);
  const code = textIn(waiting?.code) || textIn(waitingIn(result ?? {}).code);
  if (code !== '') return { code };
  return running === '' ? undefined : { call_id: running };
}

function take(said: Waiting, isSure: boolean): void {
  const since = (performance.now() - beganAt) / 1_000;
  const isEarlier = Number(said.asked_seconds_ago) > since + EARLIER_S;
  if (!isSure && (isEarlier || (waiting === undefined && isOver(said)))) return;
  call ??= said.call;
  live.show(textIn(said.output));
  if (said.state === 'none') return;
  waiting = said;
  leftUntil = performance.now() + Number(said.seconds_left) * 1_000;
}

function draw(): void {
  if (!host) return;
  const ended = hasEnded() && result ? result : undefined;
  // What somebody unfolded or selected stays, as long as nothing changed.
  const now = JSON.stringify([
    tool,
    args,
    result,
    cancelled,
    waiting?.state,
    waiting?.ran,
    waiting?.note,
    call,
    failures >= MAX_FAILURES,
  ]);
  if (now === shown) return;
  shown = now;
  main.replaceChildren(...parts(host, ended));
}

function parts(met: Host, ended: Result | undefined): Inside[] {
  const change = args ? sentChange(tool, args) : [];
  return [
    element('h1', '', ...(sentence(call) ?? [line('code', '', tool || 'A call')])),
    ...typed(),
    ...(change.length > 0 ? [] : sent()),
    ...(ended ? resultView(tool, ended, met) : [...state(met), live.part]),
    ...(change.length > 0 ? lines(change, 'first', 'The change') : []),
  ];
}

/** Shows the command that a call runs, or the text that it types, in full. */
function typed(): Inside[] {
  const acts = tool === 'run_in_terminal' || tool.startsWith('terminal_');
  const text = textIn(args?.command ?? args?.text);
  return acts && text !== '' ? lines(linesOf(text, 'first'), 'first', 'The command') : [];
}

/** Shows all that is sent to a tool of which the sentence says no more than its name: one of a joined server. */
function sent(): Inside[] {
  const { what } = recordIn(recordIn(call).sentence);
  return args && what === tool
    ? lines(linesOf(JSON.stringify(args, null, 2), 'first'), 'first', 'The arguments')
    : [];
}

function state(met: Host): Inside[] {
  if (cancelled) return [line('p', 'quiet', 'The call was cancelled.')];
  const left = (leftUntil - performance.now()) / 1_000;
  const gone = failures >= MAX_FAILURES ? [line('p', 'quiet', 'This card is no longer updated.')] : [];
  if (waiting) return [...waitingView(waiting, left, met), ...gone];
  if (!result) return [line('p', 'quiet', 'The call is on its way.'), ...gone];
  return [line('p', '', textIn(failureIn(result).message), 500), ...gone];
}

function countDown(): void {
  const left = main.querySelector('.left');
  if (left) left.textContent = clock((leftUntil - performance.now()) / 1_000);
}

function tellSize(met: Host): void {
  const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
  met.notify('ui/notifications/size-changed', { height });
}
