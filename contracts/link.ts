import * as z from 'zod';
import { foreignServers } from './link-foreign.ts';

/** Versions of this protocol that this build speaks, best first. */
export const PROTOCOLS = [2] as const;

/** What both ends hold to. Bytes where not said otherwise. */
export const LINK = {
  /** No frame is larger, text or binary. */
  frame: 256 * 1024,
  /** What a result travels in; smaller than a frame, so that the next is on its way while one is handled. */
  piece: 128 * 1024,
  /** How far a result may run ahead of its reader. */
  callCredit: 256 * 1024,
  /** How far all results of a socket together may. */
  socketCredit: 1024 * 1024,
  /** Results up to this are handed over whole; longer ones as a stream. */
  inline: 1024 * 1024,
  /** The longest result at all. */
  result: 24 * 1024 * 1024,
  /** The text of a call up to this stands in its own frame. */
  inlineText: 32 * 1024,
  text: 8 * 1024 * 1024,
  /** Calls a machine runs at once. */
  running: 8,
  /** Calls that wait on the machine for one of those to end. */
  queued: 64,
  pingMs: 20_000,
  /** Two pings missed, and some slack. */
  deadMs: 50_000,
  /** How long an answer is held before it becomes `still_running`. */
  holdMs: 40_000,
  handshakeMs: 10_000,
  /** How long outcomes are kept to be asked for. */
  keptMs: 24 * 60 * 60 * 1000,
} as const;

/** Kept alive by the runtime without waking the object, so these are words and not frames. */
export const PING = 'ping';
export const PONG = 'pong';

/** Why a socket was closed by the gateway. */
export const CLOSE = {
  protocol: 4400,
  unauthorized: 4401,
  revoked: 4403,
  replaced: 4409,
  dead: 4408,
} as const;

const type = <Name extends string>(name: Name) => z.literal(name);
/** Names one sending of one call on one socket; rises within it. */
const n = z.int().min(1);
const callId = z
  .string()
  .max(128)
  .regex(/^[A-Za-z0-9_-]+$/);
const token = z.string().min(1).max(256);
const sentence = z.string().max(2_000);

/** What a machine says about itself. */
export const machineAbout = z.strictObject({
  roots: z.array(z.strictObject({ name: z.string().max(128), path: z.string().max(4_096) })).max(64),
  tools: z.array(z.string().max(64)).max(256),
  version: z.string().max(64),
  /** The servers it joined, with their tools. */
  foreign: foreignServers.optional(),
});
export type MachineAbout = z.infer<typeof machineAbout>;

const errorFrame = z.strictObject({ type: type('error'), code: z.string().max(64), message: sentence });

/** What the gateway says, in text frames. */
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
    /** Rises with every connection; older ones are closed. */
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
    /** Of the call's text; the machine computes it again over what it is about to run. */
    digest: z.string().regex(/^[0-9a-f]{64}$/),
    /** The state of things that the owner saw when they approved it; another state by now ends the call. */
    seen: z.string().max(128).optional(),
    effect: z.boolean(),
    principal: z.string().max(256),
    client: z.string().max(256),
    /** The call as it was prepared (`src/core/call-digest.ts`), or else how many bytes of it follow in pieces. */
    text: z.string().optional(),
    bytes: z.int().min(1).max(LINK.text).optional(),
  }),
  z.strictObject({ type: type('cancel'), n, id: callId }),
  /** The result of this number may be sent up to here. */
  z.strictObject({ type: type('credit'), n, upto: z.int().min(0) }),
  /** The outcomes of these calls are on the gateway's disk. */
  z.strictObject({ type: type('ack'), calls: z.array(callId).max(1_000) }),
  z.strictObject({ type: type('probe'), n }),
  errorFrame,
]);
export type FromGateway = z.infer<typeof fromGateway>;
export type CallFrame = Extract<FromGateway, { type: 'call' }>;
export type Challenge = Extract<FromGateway, { type: 'challenge' }>;
export type Welcome = Extract<FromGateway, { type: 'welcome' }>;

/** What a machine says, in text frames; results come as pieces. */
export const fromMachine = z.discriminatedUnion('type', [
  z.strictObject({ type: type('hello'), protocols: z.array(z.int()).min(1).max(16), machine: token }),
  z.strictObject({
    type: type('proof'),
    signature: token,
    /** Another one than last time means that the machine forgot what it had begun. */
    journal: token,
    about: machineAbout,
  }),
  /** It is in the journal, and about to run. */
  z.strictObject({ type: type('accepted'), n }),
  /** It was begun, and nobody can say how far it came. */
  z.strictObject({ type: type('unknown'), n }),
  /** It has not run, and will not. */
  z.strictObject({ type: type('cancelled'), n, why: z.enum(['asked', 'busy', 'draining', 'disk']) }),
  /** It has begun; its outcome follows. */
  z.strictObject({ type: type('too_late'), n }),
  z.strictObject({
    type: type('progress'),
    n,
    progress: z.number(),
    total: z.number().optional(),
    message: z.string().max(8_192).optional(),
  }),
  /** Calls whose outcome was never acknowledged. */
  z.strictObject({ type: type('holding'), calls: z.array(callId).max(1_000) }),
  z.strictObject({
    type: type('probed'),
    n,
    running: z.int().min(0),
    queued: z.int().min(0),
    tools: z.int().min(0),
  }),
  /** No new calls; what runs is finished, then the socket closes. */
  z.strictObject({ type: type('drain') }),
  errorFrame,
]);
export type FromMachine = z.infer<typeof fromMachine>;
export type Hello = Extract<FromMachine, { type: 'hello' }>;
export type Proof = Extract<FromMachine, { type: 'proof' }>;

/** What the pieces of a result add up to, as JSON. */
export const outcomeShape = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ok'), output: z.unknown() }),
  z.strictObject({
    kind: z.literal('failed'),
    failure: z.strictObject({
      code: z.string().max(64),
      message: z.string().max(8_192),
      suggestion: z.string().max(8_192),
      retry_after: z.int().min(1).optional(),
      /** What a joined server answered that could not be read. */
      raw: z.string().max(150_000).optional(),
    }),
  }),
]);
export type Outcome = z.infer<typeof outcomeShape>;
