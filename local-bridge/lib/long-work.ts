/** Says what is being done, and how far it is: of how many, if that is known. */
export type Tell = (what: string, done?: number, all?: number) => void;

/** A person sees a line change this often at most. */
const REPAINT_MS = 100;
/** A log gets a line this often at most, and none for work that is over sooner. */
const LINE_MS = 5_000;

interface LongWork {
  readonly tell: Tell;
  /** Prints a line above what is shown. */
  say(line: string): void;
}

/**
 * Shows on standard error how work goes on: one changing line in a terminal, and now and then a plain line anywhere
 * else. Nothing of it stays in a terminal.
 */
export async function withProgress<T>(
  work: (shown: LongWork) => Promise<T>,
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'> = process.stderr,
  now: () => number = performance.now.bind(performance),
): Promise<T> {
  const isTerminal = stream.isTTY === true;
  let last = isTerminal ? Number.NEGATIVE_INFINITY : now();
  let before = '';
  let isShown = false;
  const clear = () => {
    if (isShown) stream.write('\r\u001b[K');
    isShown = false;
  };
  const tell: Tell = (what, done, all) => {
    const isNew = what !== before;
    if (now() - last < (isTerminal ? REPAINT_MS : LINE_MS) && !(isTerminal && isNew)) return;
    last = now();
    before = what;
    const line = `${what}${howFar(done, all)} …`;
    if (!isTerminal) return void stream.write(`${line}\n`);
    clear();
    // A line that wraps could not be removed.
    stream.write(line.slice(0, (stream.columns || 80) - 1));
    isShown = true;
  };
  const say = (line: string) => {
    clear();
    stream.write(`${line}\n`);
  };
  try {
    return await work({ tell, say });
  } finally {
    clear();
  }
}

/** Passes items on, and tells after each how many there were. */
export async function* counted<T>(
  items: AsyncIterable<T> | Iterable<T>,
  tell: Tell | undefined,
  what: string,
  all?: number,
): AsyncGenerator<T> {
  let done = 0;
  for await (const item of items) {
    yield item;
    done += 1;
    tell?.(what, done, all);
  }
}

function howFar(done: number | undefined, all: number | undefined): string {
  if (done === undefined) return '';
  const number = (count: number) => count.toLocaleString('en');
  return all === undefined ? `: ${number(done)}` : `: ${number(done)} of ${number(all)}`;
}
