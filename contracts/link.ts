import * as z from 'zod';
import { announcedServers } from './link-servers.ts';

/** Versions of this protocol that this build speaks, the best one first. */
export const PROTOCOLS = [5, 4, 3, 2] as const;

/** From this version on a machine says which connection it stored last. */
export const EPOCHS_SINCE = 3;

/** From this version on a call carries its caller's reason. */
export const REASONS_SINCE = 4;

/** From this version on a machine says which sandbox it uses. */
export const SANDBOX_SINCE = 5;

/** Limits that both ends keep. They are bytes unless a comment says otherwise. */
export const LINK = {
  /** The largest frame, text or binary. */
  frame: 256 * 1024,
  /**
   * The part of a result that one frame carries. It is smaller than a frame, so that the next part is on its
   * way while one is handled.
   */
  piece: 128 * 1024,
  /** The bytes of one result that may be sent ahead of its reader. */
  callCredit: 256 * 1024,
  /** The bytes of all results of one socket that may be sent ahead of their readers. */
  socketCredit: 1024 * 1024,
  /** A result up to this size is handed over whole; a longer one is a stream. */
  inline: 1024 * 1024,
  /** The longest result. */
  result: 24 * 1024 * 1024,
  /** The text of a call up to this size stands in the call's own frame. */
  inlineText: 32 * 1024,
  /** The text of a call. The longest is a file of 10 MB to create, with its escapes. */
  text: 16 * 1024 * 1024,
  /** The most calls that one frame lists. */
  listed: 1_000,
  /** Calls that a machine runs at once. */
  running: 8,
  /** Calls that wait on the machine until a running one ends. */
  queued: 64,
  pingMs: 20_000,
  /** Two missed pings and some slack. */
  deadMs: 50_000,
  /** Time to wait for a result before the answer is `still_running`. */
  holdMs: 40_000,
  handshakeMs: 10_000,
  /** Time for which outcomes are kept, so that the other end can ask for them. */
  keptMs: 24 * 60 * 60 * 1000,
} as const;

/** The runtime answers these without waking the object, so they are plain words and not frames. */
export const PING = 'ping';
export const PONG = 'pong';

/** The gateway's reasons to close a socket. */
export const CLOSE = {
  protocol: 4400,
  unauthorized: 4401,
  revoked: 4403,
  replaced: 4409,
  dead: 4408,
  /** Another copy of this machine has been connected since. */
  copied: 4410,
} as const;

const type = <Name extends string>(name: Name) => z.literal(name);
/** Names one sending of one call on one socket. It rises within the socket. */
const n = z.int().min(1);
const callId = z
  .string()
  .max(128)
  .regex(/^[A-Za-z0-9_-]+$/);
const token = z.string().min(1).max(256);
const sentence = z.string().max(2_000);

/** A machine's description of itself. */
export const machineAbout = z.strictObject({
  roots: z.array(z.strictObject({ name: z.string().max(128), path: z.string().max(4_096) })).max(64),
  tools: z.array(z.string().max(64)).max(256),
  version: z.string().max(64),
  /** The servers that the machine joined, with their tools. */
  // Bridges and gateways of different versions share this key, so it keeps its old name.
  foreign: announcedServers.optional(),
});
export type MachineAbout = z.infer<typeof machineAbout>;

const errorFrame = z.strictObject({ type: type('error'), code: z.string().max(64), message: sentence });

/** Text frames from the gateway. */
export const fromGateway = z.discriminatedUnion('type', [
  z.strictObject({
    type: type('challenge'),
    protocol: z.int(),
    origin: z.string().max(512),
    nonce: token,
    connection: token,
  }),
  z.strictObject({
    type: type('welcome'),
    protocol: z.int(),
    /** Rises with every connection. The gateway closes connections with a lower number. */
    epoch: z.int().min(1),
    limits: z.strictObject({
      frame: z.int(),
      running: z.int(),
      call_credit: z.int(),
      socket_credit: z.int(),
    }),
  }),
  z.strictObject({
    type: type('call'),
    n,
    id: callId,
    tool: z.string().max(64),
    /** The digest of the call's text. The machine computes it again over the text that it is about to run. */
    digest: z.string().regex(/^[0-9a-f]{64}$/),
    /** The state that the owner saw when they approved the call. If the state has changed, the call ends. */
    seen: z.string().max(128).optional(),
    /** The caller's own reason, for the person at the machine. No part of the digest. */
    reason: z.string().max(300).optional(),
    effect: z.boolean(),
    principal: z.string().max(256),
    client: z.string().max(256),
    /**
     * The text of the prepared call (`src/core/call-digest.ts`). If it is long, it comes in pieces, and
     * `bytes` gives its length.
     */
    text: z.string().optional(),
    bytes: z.int().min(1).max(LINK.text).optional(),
  }),
  z.strictObject({ type: type('cancel'), n, id: callId }),
  /** The result of this number may be sent up to this byte. */
  z.strictObject({ type: type('credit'), n, upto: z.int().min(0) }),
  /** The gateway has stored the outcomes of these calls. */
  z.strictObject({ type: type('ack'), calls: z.array(callId).max(LINK.listed) }),
  z.strictObject({ type: type('probe'), n }),
  errorFrame,
]);
export type FromGateway = z.infer<typeof fromGateway>;
export type CallFrame = Extract<FromGateway, { type: 'call' }>;
export type Welcome = Extract<FromGateway, { type: 'welcome' }>;

/** Text frames from a machine. Results come as pieces. */
export const fromMachine = z.discriminatedUnion('type', [
  z.strictObject({ type: type('hello'), protocols: z.array(z.int()).min(1).max(16), machine: token }),
  z.strictObject({
    type: type('proof'),
    signature: token,
    /** The name of the machine's journal. A new name means that the machine forgot the calls it had begun. */
    journal: token,
    /** The connection that the journal stored last; 0 if it stored none. */
    epoch: z.int().min(0).optional(),
    /** True if the journal lies elsewhere than when it stored that, so it may be a copy of an earlier moment. */
    moved: z.boolean().optional(),
    about: machineAbout,
    /** What keeps its commands apart (`contracts/sandboxes.ts`). Any word, because a newer machine may know more. */
    sandbox: z.string().max(32).optional(),
  }),
  /** The call is in the journal and about to run. */
  z.strictObject({ type: type('accepted'), n }),
  /** The call began, and nobody can say how far it came. */
  z.strictObject({ type: type('unknown'), n }),
  /** The call has not run and will not. */
  z.strictObject({ type: type('cancelled'), n, why: z.enum(['asked', 'busy', 'draining', 'disk']) }),
  /** The call has begun; its outcome follows. */
  z.strictObject({ type: type('too_late'), n }),
  z.strictObject({
    type: type('progress'),
    n,
    progress: z.number(),
    total: z.number().optional(),
    message: z.string().max(8_192).optional(),
  }),
  /** Calls whose outcome the gateway has not acknowledged. The first such frame says that the connection is stored. */
  z.strictObject({ type: type('holding'), calls: z.array(callId).max(LINK.listed) }),
  z.strictObject({
    type: type('probed'),
    n,
    running: z.int().min(0),
    queued: z.int().min(0),
    tools: z.int().min(0),
  }),
  /** Asks for no new calls. The machine finishes what runs, then the socket closes. */
  z.strictObject({ type: type('drain') }),
  errorFrame,
]);
export type FromMachine = z.infer<typeof fromMachine>;
export type Hello = Extract<FromMachine, { type: 'hello' }>;

/** The JSON that the pieces of a result add up to. */
export const outcomeShape = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ok'), output: z.unknown() }),
  z.strictObject({
    kind: z.literal('failed'),
    failure: z.strictObject({
      code: z.string().max(64),
      message: z.string().max(8_192),
      suggestion: z.string().max(8_192),
      retry_after: z.int().min(1).optional(),
      /** An answer of a joined server that Bowline could not read. */
      raw: z.string().max(150_000).optional(),
    }),
  }),
]);
export type Outcome = z.infer<typeof outcomeShape>;
