import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fromGateway, fromMachine, LINK } from '../../../contracts/link.ts';
import { decodePiece, encodePiece } from '../../../src/core/link-pieces.ts';
import { decodeFrame } from '../../../src/core/link-text.ts';
import { bytesIn, inputOf, mixedJson } from '../inputs.ts';
import { type Target, target } from '../target.ts';

const FRAME_WORDS = [
  ...['"type"', '"n":1', '"id":"a"', '"args":"{}"', '"bytes":1', '"calls":[]', '"epoch":1', '"about":{}'],
  ...['"why":"busy"', '"__proto__":{}', '"limits":{}', '9007199254740992', '1e400', '"foreign":[]'],
];

function textFrames(
  name: string,
  shape: typeof fromGateway | typeof fromMachine,
  seeds: readonly object[],
): Target {
  const frames = seeds.map((seed) => JSON.stringify(seed));
  return target({
    name,
    seeds: frames,
    grammar: mixedJson(seeds),
    words: FRAME_WORDS,
    parse: (input) => decodeFrame<unknown>(shape, input),
    properties: {
      'a frame that is taken says the same when it is sent on': (frame) => {
        if (frame === undefined) return;
        const text = JSON.stringify(frame);
        assert.equal(JSON.stringify(decodeFrame<unknown>(shape, text)), text);
      },
      'nothing that was not said is in a frame': (frame, input) => {
        if (frame !== undefined) assert.deepEqual(frame, JSON.parse(input));
      },
      'a frame that is taken is no longer than a frame may be': (frame, input) => {
        if (frame !== undefined) assert.ok(input.length <= LINK.frame);
      },
    },
  });
}

const about = { roots: [{ name: 'a', path: '/a' }], tools: ['read_file'], version: '1.0.0' };
const foreign = [{ name: 's', tools: [{ name: 't' }], left_out: [{ name: 'u', reasons: ['why'] }] }];

const gateway = textFrames('link-gateway', fromGateway, [
  { type: 'challenge', protocol: 2, origin: 'https://a.b', nonce: 'n', connection: 'c' },
  {
    type: 'welcome',
    protocol: 2,
    epoch: 1,
    limits: { frame: 1, running: 1, call_credit: 1, socket_credit: 1 },
  },
  {
    type: 'call',
    n: 1,
    id: 'a',
    tool: 't',
    digest: '0'.repeat(64),
    effect: true,
    principal: 'p',
    client: 'c',
    args: '{}',
  },
  {
    type: 'call',
    n: 2,
    id: 'b',
    tool: 't',
    digest: 'f'.repeat(64),
    effect: false,
    principal: 'p',
    client: 'c',
    bytes: 9,
  },
  { type: 'cancel', n: 1, id: 'a' },
  { type: 'credit', n: 1, upto: 0 },
  { type: 'ack', calls: ['a', 'b-_'] },
  { type: 'probe', n: 1 },
  { type: 'error', code: 'x', message: 'y' },
]);

const machine = textFrames('link-machine', fromMachine, [
  { type: 'hello', protocols: [2], machine: 'm' },
  { type: 'proof', signature: 's', journal: 'j', about },
  { type: 'proof', signature: 's', journal: 'j', about: { ...about, foreign } },
  { type: 'accepted', n: 1 },
  { type: 'unknown', n: 1 },
  { type: 'cancelled', n: 1, why: 'asked' },
  { type: 'too_late', n: 1 },
  { type: 'progress', n: 1, progress: 0.5, total: 1, message: 'm' },
  { type: 'holding', calls: ['a'] },
  { type: 'probed', n: 1, running: 0, queued: 0, tools: 0 },
  { type: 'drain' },
]);

const piece = (n: number, isOk: boolean, at: number, total: number, text: string) =>
  inputOf(encodePiece({ n, isOk, at, total, bytes: Buffer.from(text) }));

const pieces = target({
  name: 'link-pieces',
  isBinary: true,
  seeds: [piece(1, true, 0, 2, 'ok'), piece(2 ** 40, false, 5, 4_096, 'part')],
  grammar: fc
    .tuple(
      fc.maxSafeNat(),
      fc.boolean(),
      fc.nat(LINK.result),
      fc.nat(LINK.result + 9),
      fc.string({ maxLength: 9 }),
    )
    .map(([n, isOk, at, total, text]) => piece(n, isOk, at, total, text)),
  parse: (input) => decodePiece(bytesIn(input), LINK.result),
  properties: {
    'a piece that is taken is written again byte for byte': (taken, input) => {
      if (taken) assert.equal(inputOf(encodePiece(taken)), input);
    },
    'a piece lies inside a whole that may be that long': (taken) => {
      if (!taken) return;
      const { n, at, total, bytes } = taken;
      assert.ok(Number.isSafeInteger(n) && n > 0 && bytes.length > 0);
      assert.ok(at >= 0 && at + bytes.length <= total && total <= LINK.result);
    },
  },
});

export const link: readonly Target[] = [gateway, machine, pieces];
