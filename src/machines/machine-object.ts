import { DurableObject } from 'cloudflare:workers';
import { CLOSE, LINK, PING, PONG } from '../../contracts/link.ts';
import type { AnnouncedServers } from '../../contracts/link-servers.ts';
import type { Progress } from '../core/call.ts';
import { isWithin } from '../core/clock.ts';
import { migrate } from '../storage/migrate.ts';
import { callById } from './call-rows.ts';
import { nextStep } from './gateway-greeting.ts';
import { GatewayLink } from './gateway-link.ts';
import { keptCall, type PortableAnswer, portable, runningCall } from './kept-call.ts';
import type { LinkSocket, MachineCall } from './link-ports.ts';
import { machineMigrations } from './machine-migrations.ts';
import * as machine from './machine-row.ts';
import { DIALLED_FROM, type GreetingFrom, SocketBook } from './socket-book.ts';
import { type Told, tellJoined } from './tell-joined.ts';
import { Unwanted } from './unwanted.ts';

/** The name under which the object keeps the address where the machine was last. */
const SEEN_AT = 'seen-at';
const PROBE_MS = 5_000;
/** The time between two sweeps of what is kept. */
const SWEEP_MS = 10 * 60_000;

/** The part of an object namespace that finds the owner's object. */
interface Named<Stub> {
  idFromName(name: string): DurableObjectId;
  get(id: DurableObjectId): Stub;
}

/** The objects that learn about joined servers, as the configuration binds them. */
interface TellingObjects {
  readonly GATE?: Named<Told['gate']>;
  readonly EVENTS?: Named<Told['events']>;
}

/** One machine of the owner's: its socket, and the calls that changed something on it. */
export class MachineObject extends DurableObject {
  readonly #state: DurableObjectState;
  readonly #sql: SqlStorage;
  readonly #sockets: SocketBook;
  readonly #link: GatewayLink;
  readonly #unwanted = new Unwanted();
  #alarmAt = Number.POSITIVE_INFINITY;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    this.#state = state;
    this.#sql = state.storage.sql;
    migrate(state.storage, machineMigrations);
    state.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
    this.#sockets = new SocketBook(state);
    this.#link = new GatewayLink({
      sql: this.#sql,
      transaction: (act) => state.storage.transactionSync(act),
      now: Date.now,
      after: (ms, act) => {
        const timer = setTimeout(act, ms);
        return () => clearTimeout(timer);
      },
      sockets: () => this.#sockets.proven(),
      wakeWithin: (ms) => this.#wakeWithin(ms),
      report,
    });
    if (this.#sockets.proven().length === 0) machine.missed(this.#sql, Date.now());
  }

  enrol(asked: machine.Enrolled): void {
    machine.enrol(this.#sql, asked);
  }

  rename(name: string): void {
    machine.rename(this.#sql, name);
  }

  /** Shuts the machine out for good, and closes its open sockets. */
  revoke(): void {
    const known = machine.enrolled(this.#sql);
    if (known) this.#tellJoined(known, []);
    machine.revoke(this.#sql);
    const { socket } = this.#link;
    this.#link.shutOut();
    this.#sockets.closeAll(CLOSE.revoked, 'revoked');
    if (socket) this.#link.closed(socket);
  }

  status() {
    const socket = this.#living();
    return machine.statusOf(this.#sql, socket !== undefined, this.#sockets.lastSeen(socket));
  }

  /** Takes a machine's socket. The greeting that follows shows who is at the other end. */
  override fetch(request: Request): Response {
    if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') {
      return new Response('Machines connect here by WebSocket.', {
        status: 426,
        headers: { upgrade: 'websocket' },
      });
    }
    if (!machine.enrolled(this.#sql)) return new Response('No such machine.', { status: 404 });
    const from = request.headers.get(DIALLED_FROM) ?? '';
    const isKnown = from === this.#state.storage.kv.get(SEEN_AT);
    if (!this.#sockets.makeRoom(from, isKnown, LINK.handshakeMs, Date.now())) {
      return new Response('Too many are connecting.', { status: 503 });
    }
    const { 0: client, 1: server } = new WebSocketPair();
    this.#state.acceptWebSocket(server);
    this.#sockets.keep(server, { stage: 'new', at: Date.now(), from });
    this.#sockets.limit(server, LINK.handshakeMs);
    return new Response(null, { status: 101, webSocket: client });
  }

  override async webSocketMessage(web: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const data = typeof message === 'string' ? message : new Uint8Array(message);
    const greeting = this.#sockets.greetingOf(web);
    if (greeting) await this.#greet(web, greeting, data);
    else this.#link.message(this.#sockets.heard(web), data);
  }

  override webSocketClose(web: WebSocket): void {
    const socket = this.#sockets.socketOf(web);
    this.#link.closed(socket);
    socket.close(1000, 'closed');
  }

  override webSocketError(web: WebSocket): void {
    this.#link.closed(this.#sockets.socketOf(web));
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = Number.POSITIVE_INFINITY;
    if (this.#link.sweep()) this.#wakeWithin(SWEEP_MS);
  }

  /** Runs a call on the machine. Gives its result, or how it stands. */
  async call(call: MachineCall, progress?: (update: Progress) => void): Promise<PortableAnswer> {
    // A call that came before the machine was shut out ended then, and is no new one.
    const isNew = !callById(this.#sql, call.id);
    if (isNew && !machine.enrolled(this.#sql)) return { kind: 'revoked' };
    if (isNew && this.#unwanted.has(call.id)) return { kind: 'not_run', why: 'asked' };
    this.#living();
    const { promise, resolve } =
      Promise.withResolvers<Parameters<Parameters<GatewayLink['call']>[1]['answer']>[0]>();
    this.#link.call(call, {
      answer: resolve,
      progress: (update) => {
        // The caller may be gone; the call continues.
        if (progress) void Promise.resolve(progress(update)).catch(() => undefined);
      },
    });
    return portable(this.#sql, call.id, await promise);
  }

  /** Cancels a call, also one that is still on its way here. */
  cancel(id: string): void {
    this.#unwanted.add(id);
    this.#link.cancel(id);
  }

  /** Cancels many calls in one message. */
  cancelAll(ids: string[]): void {
    for (const id of ids) this.cancel(id);
  }

  /** Cancels a call for its own caller only. */
  cancelOf(id: string, principal: string): void {
    if (callById(this.#sql, id)?.principal === principal) this.#link.cancel(id);
  }

  /** Gives what is kept of a call, to its own caller only. */
  outcome(id: string, principal: string) {
    return keptCall(this.#sql, id, principal, { isOnline: this.#living() !== undefined, now: Date.now() });
  }

  /** Says how a call runs, to its own caller only. */
  running(by: Parameters<typeof runningCall>[1], principal: string) {
    return runningCall(this.#sql, by, principal, (id) => this.#link.begun.saidBy(id));
  }

  /** Asks the place where the machine runs its tools. Gives null if no answer comes. */
  async ping() {
    if (!this.#living()) return null;
    const began = Date.now();
    const { promise, resolve } = Promise.withResolvers<{
      running: number;
      queued: number;
      tools: number;
    } | null>();
    const stop = this.#link.probe(({ running, queued, tools }) => resolve({ running, queued, tools }));
    const timer = setTimeout(() => resolve(null), PROBE_MS);
    const answer = await promise;
    clearTimeout(timer);
    stop();
    return answer && { ...answer, ms: Date.now() - began };
  }

  async #greet(web: WebSocket, greeting: GreetingFrom, data: string | Uint8Array): Promise<void> {
    const socket = this.#sockets.socketOf(web);
    const known = machine.enrolled(this.#sql);
    if (!known) return socket.close(CLOSE.revoked, 'revoked');
    const step = nextStep(greeting, data, known, () => crypto.randomUUID());
    if (step.kind === 'close') {
      socket.send(JSON.stringify({ type: 'error', code: 'refused', message: step.why }));
      return socket.close(step.code, step.why);
    }
    this.#sockets.keep(web, step.next);
    if (step.kind === 'say') return socket.send(JSON.stringify(step.frame));
    const arrival = await step.proof();
    // Somebody may have revoked it while the signature was checked.
    if (!arrival || machine.enrolled(this.#sql)?.publicKey !== known.publicKey) {
      return socket.close(CLOSE.unauthorized, 'the proof does not hold');
    }
    if (web.readyState !== WebSocket.OPEN) return;
    const { foreign: servers = [], ...about } = arrival.about;
    this.#living();
    if (!this.#link.join(socket, { ...arrival, about }))
      return socket.close(CLOSE.copied, 'another copy of this machine has been connected since');
    this.#remember(greeting.from);
    this.#tellJoined(known, servers);
  }

  /** Keeps the address of a machine that has proved itself, because it comes first there. */
  #remember(address: string | undefined): void {
    const { kv } = this.#state.storage;
    if (address !== undefined && kv.get(SEEN_AT) !== address) kv.put(SEEN_AT, address);
  }

  #tellJoined(known: machine.Enrolled, servers: AnnouncedServers): void {
    const tell = async () => {
      const { GATE, EVENTS } = this.env as unknown as TellingObjects;
      // A gateway that only has machines has nobody to tell.
      if (!GATE || !EVENTS) return;
      const told = {
        gate: GATE.get(GATE.idFromName('owner')),
        events: EVENTS.get(EVENTS.idFromName('owner')),
      };
      await tellJoined(known, servers, told);
    };
    this.ctx.waitUntil(tell().catch(report));
  }

  /** Finds the machine's socket, unless it has been silent too long to be alive. */
  #living(): LinkSocket | undefined {
    const { socket } = this.#link;
    if (!socket) return undefined;
    if (isWithin(LINK.deadMs, this.#sockets.lastSeen(socket) ?? 0, Date.now())) return socket;
    socket.close(CLOSE.dead, 'silent for too long');
    this.#link.closed(socket);
    return undefined;
  }

  #wakeWithin(ms: number): void {
    const at = Date.now() + ms;
    if (this.#alarmAt <= at) return;
    this.#alarmAt = at;
    void this.#state.storage.setAlarm(at);
  }
}

function report(error: unknown): void {
  console.error(JSON.stringify({ level: 'error', where: 'link', message: String(error) }));
}
