import './network.ts';
import type { Env } from '../../src/wiring/env.ts';
import worker from '../../src/worker.ts';

export * from '../../src/worker.ts';

let configured: Env | undefined;

/** Requests that are not answered yet, and what the gateway still does after it has answered one. */
const underWay = new Set<Promise<unknown>>();

/** What is under way for longer waits for something that no test gives it, and ends with the storage below it. */
const AT_MOST_MS = 15_000;

/** Makes the gateway forget everything that it keeps in memory: it keeps that by its configuration, which is new then. */
export function forget(): void {
  configured = undefined;
}

/** Waits for what is under way, so that it does not write into the storage of the next test file. */
export async function settled(): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((done) => {
    timer = setTimeout(done, AT_MOST_MS);
  });
  await Promise.race([Promise.allSettled(underWay), late]);
  clearTimeout(timer);
}

function watch<Work extends Promise<unknown>>(work: Work): Work {
  underWay.add(work);
  const over = () => underWay.delete(work);
  work.then(over, over);
  return work;
}

function watched(context: ExecutionContext): ExecutionContext {
  return new Proxy(context, {
    get(target, name) {
      if (name === 'waitUntil') {
        return (work: Promise<unknown>) => {
          target.waitUntil(watch(work));
        };
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

export default {
  fetch(request, env, context) {
    configured ??= Object.create(env) as Env;
    return watch(Promise.resolve(worker.fetch(request, configured, watched(context))));
  },
} satisfies ExportedHandler<Env>;
