import { describe, expect, it } from 'vitest';
import { type FromMachine, PROTOCOLS, SANDBOX_SINCE } from '../../../contracts/link.ts';
import { SANDBOXES, type Sandbox } from '../../../contracts/sandboxes.ts';
import { greet } from '../../../local-bridge/agent/link/greet.ts';
import { sandboxOf } from '../../../local-bridge/tools/terminal/sandbox-name.ts';
import { sandboxWords } from '../../../src/core/sandbox-names.ts';

const ORIGIN = 'https://gateway.example';

/** What a bridge says to a gateway of that version. */
async function proofFor(protocol: number, sandbox: Sandbox | undefined) {
  const said: FromMachine[] = [];
  const about = { roots: [], tools: [], version: '1' };
  const answer = greet(
    {
      ...{ machine: 'm_1', origin: ORIGIN, journal: 'j', epoch: 7, moved: false, about, sandbox },
      sign: async () => 'signed',
    },
    (text) => said.push(JSON.parse(text)),
  );
  const challenge = { type: 'challenge', protocol, origin: ORIGIN, nonce: 'n', connection: 'c' };
  await answer(JSON.stringify(challenge));
  return said;
}

describe('a bridge that greets', () => {
  const OLD = { type: 'proof', signature: 'signed', journal: 'j' };
  const about = { roots: [], tools: [], version: '1' };

  it.each([
    [2, { ...OLD, about }],
    [SANDBOX_SINCE - 1, { ...OLD, epoch: 7, about }],
    [SANDBOX_SINCE, { ...OLD, epoch: 7, about, sandbox: 'none' }],
  ])('tells its sandbox only to a gateway that takes it: version %i', async (protocol, proof) => {
    const [hello, said] = await proofFor(protocol, 'none');
    expect(hello).toMatchObject({ protocols: [...PROTOCOLS] });
    // Exactly these fields: an older gateway refuses others.
    expect(said).toEqual(proof);
  });

  it('tells none where it knows none', async () => {
    const [, said] = await proofFor(SANDBOX_SINCE, undefined);
    expect(said).toEqual({ ...OLD, epoch: 7, about });
  });
});

it.each([
  [{ on: false, sandboxed: true, confinement: 'bubblewrap' }, 'off'],
  [{ on: true, sandboxed: false, confinement: 'Linux namespaces' }, 'none'],
  [{ on: true, sandboxed: true, confinement: 'bubblewrap' }, 'bubblewrap'],
  [{ on: true, sandboxed: true, confinement: 'Seatbelt' }, 'sandbox-exec'],
])('%j is called %s', (status, name) => {
  expect(sandboxOf(status)).toBe(name);
});

describe('a sandbox in words', () => {
  it.each([...SANDBOXES])('has them for %s, and a hint only where there is none', (sandbox) => {
    const { words, hint } = sandboxWords(sandbox);
    expect(words).toMatch(/^(?!unknown)[a-z -]+$/);
    expect(hint !== undefined).toBe(sandbox === 'none');
  });

  it.each([null, '', 'gVisor', 'constructor'])('is unknown for %s', (said) => {
    expect(sandboxWords(said)).toEqual({ words: 'unknown' });
  });
});
