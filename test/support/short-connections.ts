/**
 * Node's `fetch` keeps a connection for four seconds after a request, and the local runtime keeps it for five. A busy
 * machine can hold a process up for longer than the second between, and the next request then fails on a connection that
 * is gone. So here a connection is kept for a fraction of a second.
 */
const KEPT_MS = 250;

/** Where Node keeps what sends the requests of `fetch`. Node fills it when a program first uses something of `fetch`. */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');
new Request('http://localhost');
const found: unknown = Reflect.get(globalThis, DISPATCHER);
if (typeof found !== 'object' || found === null) throw new Error('Node keeps what sends requests elsewhere.');
const kept = { keepAliveTimeout: KEPT_MS, keepAliveMaxTimeout: KEPT_MS };
Reflect.set(globalThis, DISPATCHER, Reflect.construct(found.constructor, [kept]));
