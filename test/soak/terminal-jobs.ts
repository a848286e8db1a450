import type { CallRecord, Told } from './history.ts';
import { change, isOk, type Job, type Lane, type SoFar } from './lane.ts';
import { SESSION, stillRunning } from './sessions.ts';

/** Far longer than a shell takes to run a line, on a busy computer too. */
const RUNS_WITHIN_MS = 60_000;
const LINES = 3;
/** More than one answer holds. */
const PRINTED_LINES = 3_000;

/** A lasting terminal that a lane has started. */
interface Session {
  readonly name: string;
  /** What had happened before it was started. */
  readonly since: SoFar;
}

/** Types lines into a shell. Each leaves a mark when it runs, and nobody types one again. */
export const typeInTerminal: Job = async (lane) => {
  const session = await start(lane);
  if (!session) return;
  const { name } = session;
  // Only what this starts can be found in the process table, for the shell had its environment before.
  const lines = [`${SESSION}=${lane.run}/${name} sleep 600 &`, ...Array.from({ length: LINES }, () => '')];
  for (const first of lines) {
    const known = change(lane);
    const { token } = known;
    const marks = `echo ${token} >> marks; echo do''ne-${token}`;
    const record = await lane.send({
      ...{ ...known, tool: 'terminal_send', effect: { on: 'typed', mark: token } },
      input: { session: name, text: first === '' ? marks : `${first} ${marks}` },
    });
    if (known.isRefused) continue;
    if (!isOk(record)) {
      checkLoss(lane, session, record);
      break;
    }
    if (!(await printed(lane, session, `done-${token}`))) break;
    lane.seen.add(token);
  }
  await stop(lane, session);
};

/** Reads what a command prints in steps, and then once more from the beginning: nothing may be missing or change. */
export const readTerminal: Job = async (lane) => {
  const token = lane.newToken();
  const [print, wait] = [`echo "$n ${token}"`, '[ $((n % 500)) -ne 0 ] || sleep 0.2'];
  const session = await start(lane, token, (name) => {
    const count = `n=0; while [ $n -lt ${PRINTED_LINES} ]; do n=$((n+1)); ${print}; ${wait}; done`;
    return `: ${token}; export ${SESSION}=${lane.run}/${name}; (setsid sleep 600 &); ${count}; sleep 600`;
  });
  if (!session) return;
  const all = Array.from({ length: PRINTED_LINES }, (_, n) => `${n + 1} ${token}\n`).join('');
  const missing = await readAll(lane, session, all, 1);
  const missingLater = missing === undefined ? undefined : await readAll(lane, session, all, 0);
  if (missing !== missingLater && missingLater !== undefined)
    note(lane, `The output of ${session.name} missed ${missing} bytes at first, and ${missingLater} later`);
  await checkList(lane, session);
  // One that is left ends with its bridge, or when this hand uses a terminal again.
  if (lane.random.whole(6) === 0 && lane.left === undefined) lane.left = session.name;
  else await stop(lane, session);
};

async function start(
  lane: Lane,
  token = lane.newToken(),
  commandOf?: (name: string) => string,
): Promise<Session | undefined> {
  if (lane.left !== undefined) await lane.send({ ...stopOf(lane), input: { session: lane.left } });
  lane.left = undefined;
  const name = `t-${token.replace(/^soak/, '').slice(0, -1)}`;
  const since = lane.soFar();
  const input = { session: name, ...(commandOf ? { command: commandOf(name) } : {}) };
  const record = await lane.send({ tool: 'terminal_start', token, key: token, input });
  return isOk(record) ? { name, since } : undefined;
}

/** Waits for a text. Gives `false` if it did not come, and nothing is wrong with that. */
async function printed(lane: Lane, session: Session, text: string): Promise<boolean> {
  const input = { session: session.name, until: text, wait_seconds: 2 };
  for (const until = Date.now() + RUNS_WITHIN_MS; !lane.isOver(); ) {
    const record = await lane.send({ tool: 'terminal_read', input });
    const told = lastOf(record);
    if (told?.is === 'ok' && metadataOf(told).found === true) return true;
    if (checkLoss(lane, session, record)) return false;
    // A full disk takes no output, so nobody can find it there.
    if (lane.soFar().fullDisks > session.since.fullDisks) return false;
    if (Date.now() < until) continue;
    if (told?.is === 'ok')
      note(
        lane,
        `A line that was typed into ${session.name} did not print ${text} in ${RUNS_WITHIN_MS / 1_000} s`,
      );
    return false;
  }
  return false;
}

/** Reads from the beginning until all is there, and gives how many bytes were missing; `undefined` if it cannot. */
async function readAll(lane: Lane, session: Session, all: string, wait_seconds: number) {
  const { name, since } = session;
  let missing = 0;
  for (let [offset, until] = [0, Date.now() + RUNS_WITHIN_MS]; offset < all.length; ) {
    const record = await lane.send({ tool: 'terminal_read', input: { session: name, offset, wait_seconds } });
    const told = lastOf(record);
    if (checkLoss(lane, session, record)) return undefined;
    if (told?.is === 'ok') {
      const { next_offset, missed_bytes, warning } = metadataOf(told);
      const [next, missed] = [Number(next_offset), Number(missed_bytes)];
      const head = warning === undefined ? /^.*\n/ : /^.*\n.*\n/;
      const text = String(told.output.output)
        .replace(head, '')
        .slice(0, next - offset - missed);
      if (text !== all.slice(offset + missed, next))
        return note(lane, `${name} gave ${JSON.stringify(text.slice(0, 80))} … from ${offset} to ${next}`);
      if (missed > 0 && lane.soFar().fullDisks === since.fullDisks)
        return note(lane, `${name} missed ${missed} bytes after ${offset}, and no disk was full`);
      missing += missed;
      if (next > offset) until = Date.now() + RUNS_WITHIN_MS;
      offset = next;
    }
    if (lane.isOver()) return undefined;
    if (Date.now() < until) continue;
    if (told?.is === 'ok') note(lane, `${name} printed nothing after ${offset} of ${all.length} bytes`);
    return undefined;
  }
  return missing;
}

async function checkList(lane: Lane, { name, since }: Session): Promise<void> {
  const told = lastOf(await lane.send({ tool: 'terminal_list', input: {} }));
  if (told?.is !== 'ok' || hasNewBridge(lane, since)) return;
  const sessions = metadataOf(told).sessions as { session: string; running: boolean }[];
  if (!sessions.some(({ session, running }) => session === name && running))
    note(lane, `${name} runs, and is not in the list: ${JSON.stringify(sessions).slice(0, 300)}`);
}

async function stop(lane: Lane, session: Session): Promise<void> {
  const record = await lane.send({ ...stopOf(lane), input: { session: session.name } });
  if (!isOk(record)) return void checkLoss(lane, session, record);
  const left = await stillRunning(`${lane.run}/${session.name}`);
  if (left.length > 0)
    note(lane, `Processes outlived ${session.name}, which was stopped: ${left.join(', ')}`);
}

function stopOf(lane: Lane) {
  const token = lane.newToken();
  return { tool: 'terminal_stop', token, key: token };
}

/** Tells whether a session is gone, and notes it if its bridge goes on: only with it may one end. */
function checkLoss(lane: Lane, { name, since }: Session, record: CallRecord): boolean {
  const told = lastOf(record);
  const isGone =
    told?.is === 'failed' && (told.code === 'session_not_found' || told.code === 'session_ended');
  const hasEnded = told?.is === 'ok' && metadataOf(told).running === false;
  if (!isGone && !hasEnded) return false;
  if (!hasNewBridge(lane, since)) note(lane, `${name} ended by itself: ${record.tool} over ${record.way}`);
  return true;
}

const hasNewBridge = (lane: Lane, since: SoFar) => lane.soFar().bridges !== since.bridges;

const lastOf = ({ attempts }: CallRecord): Told | undefined => attempts.at(-1)?.told;

function metadataOf({ output }: Extract<Told, { is: 'ok' }>): Record<string, unknown> {
  return (output.metadata ?? {}) as Record<string, unknown>;
}

function note(lane: Lane, what: string): undefined {
  lane.note({ kind: 'answer', what, at: Date.now() });
}
