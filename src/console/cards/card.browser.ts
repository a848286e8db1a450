/**
 * Runs in the card that a chat shows of a call. It shows the call, follows it while it waits for the owner, and shows how
 * it ended. It has no token and no session, and can reach nothing but the program that shows it.
 */
import { element, type Inside, line, lines, linesOf } from './elements.browser.ts';
import { type Host, meetHost, recordIn, textIn } from './host.browser.ts';
import { failureIn, type Result, resultView } from './results.browser.ts';
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

/** Tells if the call ended. One that has to wait for the owner has not, although its caller has an answer. */
function hasEnded(): boolean {
  return cancelled || (result !== undefined && failureIn(result).code !== 'approval_required');
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
  const code =
    textIn(waiting?.code) ||
    /\/approvals\/([0-9A-Z]{4}-[0-9A-Z]{4})\b/.exec(textIn(result && failureIn(result).message))?.[1];
  const ask = (name: string, sent: object) => met.request('tools/call', { name, arguments: sent });
  const asked = code ? { code, known: call !== undefined } : { tool, arguments: given };
  try {
    const said = recordIn(await ask('waiting_call', asked));
    failures = said.isError === true ? failures + 1 : 0;
    take(recordIn(said.structuredContent), code !== undefined);
    const { call_id: id, outcome } = recordIn(waiting?.ran);
    if (waiting && isOver(waiting) && outcome === 'ok' && !hasEnded()) {
      const end = recordIn(recordIn(await ask('get_call', { call_id: textIn(id) })).structuredContent);
      if (end.state === 'done') result = { structuredContent: end.result };
    }
  } catch {
    failures += 1;
  }
  draw();
}

function take(said: Waiting, isByCode: boolean): void {
  if (textIn(said.code) === '') return;
  const since = (performance.now() - beganAt) / 1_000;
  const isEarlier = Number(said.asked_seconds_ago) > since + EARLIER_S;
  if (!isByCode && (isEarlier || (waiting === undefined && isOver(said)))) return;
  waiting = said;
  call ??= said.call;
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
    ...(ended ? resultView(tool, ended, met) : state(met)),
    ...(change.length > 0 ? lines(change, 'first', 'The change') : []),
  ];
}

/** Shows the command that a call runs, or the text that it types, in full. */
function typed(): Inside[] {
  const acts = tool === 'run_in_terminal' || tool.startsWith('terminal_');
  const text = textIn(args?.command ?? args?.text);
  return acts && text !== '' ? lines(linesOf(text, 'first'), 'first', 'The command') : [];
}

function state(met: Host): Inside[] {
  if (cancelled) return [line('p', 'quiet', 'The call was cancelled.')];
  const left = (leftUntil - performance.now()) / 1_000;
  const gone =
    failures >= MAX_FAILURES ? [line('p', 'quiet', 'This card no longer learns how the call stands.')] : [];
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
