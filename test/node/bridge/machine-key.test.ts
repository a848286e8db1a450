import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { machineName } from '../../../contracts/machine-fields.ts';
import { defaultMachineName } from '../../../local-bridge/agent/pairing/default-name.ts';
import { pairedMachine, savePairedMachine } from '../../../local-bridge/agent/pairing/machine-file.ts';
import { checkKeyIsThere, machineKey } from '../../../local-bridge/agent/pairing/machine-key.ts';
import { startLocalBridge } from '../../../local-bridge/local/up/bridge.ts';
import {
  challengeText,
  enrolmentText,
  fingerprintOf,
  isPublicKey,
  verifyProof,
} from '../../../src/core/machine-proof.ts';
import { runBowline } from '../../support/command.ts';
import { anyText, holdsFor } from '../../support/property.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bowline-key-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const challenge = { origin: 'https://g.example', machine: 'm_1', nonce: 'n', connection: 'c' };

describe('a machine’s key', () => {
  it('is made once, for its user alone, and signs what its public half verifies', async () => {
    const key = machineKey(home);
    expect(machineKey(home).publicKey).toBe(key.publicKey);
    expect(statSync(join(home, 'machine-key')).mode & 0o777).toBe(0o600);
    const text = challengeText(challenge);
    const signature = await key.sign(text);
    expect(await verifyProof(key.publicKey, text, signature)).toBe(true);
    expect(JSON.stringify(key)).not.toContain(readFileSync(join(home, 'machine-key'), 'utf8').split('\n')[1]);
  });

  it('is not used when others can read it, or when it is no key', () => {
    machineKey(home);
    const file = join(home, 'machine-key');
    for (const mode of [0o640, 0o604, 0o660]) {
      chmodSync(file, mode);
      expect(() => machineKey(home)).toThrow('Other users can read');
    }
    writeFileSync(file, 'no key');
    chmodSync(file, 0o600);
    expect(() => machineKey(home)).toThrow("is not a machine's key");
  });
});

describe('a machine that is paired and has lost its key', () => {
  const why = (of = home) =>
    `${join(of, 'machine-key')} is missing, so this computer cannot prove which machine it is.`;

  it('stops, and makes no other key: rules about it would not hold for another machine', async () => {
    expect(() => checkKeyIsThere(home)).not.toThrow();
    machineKey(home);
    savePairedMachine(home, { gateway: 'https://g.example', id: `m_${'0'.repeat(32)}`, name: 'mini' });
    expect(() => checkKeyIsThere(home)).not.toThrow();
    rmSync(join(home, 'machine-key'));
    expect(() => checkKeyIsThere(home)).toThrow(why());
    const { code, stderr } = await runBowline(['connect', '--root', home], { env: { BOWLINE_HOME: home } });
    expect([code, stderr]).toEqual([1, expect.stringContaining(why())]);
    expect(stderr).toContain(`move ${join(home, 'machine.json')} away too`);
    expect(existsSync(join(home, 'machine-key'))).toBe(false);
  });

  it('stops `npm start` before it asks the gateway for anything', async () => {
    const call = vi.fn();
    const machine = join(home, 'machine');
    savePairedMachine(machine, { gateway: 'https://g.example', id: `m_${'0'.repeat(32)}`, name: 'mini' });
    const places = { stateFolder: home, root: home, closed: [] };
    const started = startLocalBridge({ url: 'https://g.example', ...places, owner: { call } });
    await expect(started).rejects.toThrow(why(machine));
    expect(call).not.toHaveBeenCalled();
  });
});

it('is named when a folder lies in its place', () => {
  mkdirSync(join(home, 'machine-key'));
  expect(() => machineKey(home)).toThrow(`${join(home, 'machine-key')} is a folder where a file belongs.`);
});

describe('a proof', () => {
  it('holds for its own gateway, machine, nonce and connection, and for nothing else', async () => {
    const key = machineKey(home);
    const signature = await key.sign(challengeText(challenge));
    for (const part of Object.keys(challenge) as (keyof typeof challenge)[]) {
      const other = challengeText({ ...challenge, [part]: `${challenge[part]}x` });
      expect(await verifyProof(key.publicKey, other, signature), part).toBe(false);
    }
    // Nor can a request to be paired be passed off as one.
    const pairing = enrolmentText({ origin: challenge.origin, name: 'm_1', publicKey: key.publicKey });
    expect(await verifyProof(key.publicKey, pairing, signature)).toBe(false);
  });

  it('is by no other key, and in no other spelling', async () => {
    const key = machineKey(home);
    const text = challengeText(challenge);
    const signature = await key.sign(text);
    const other = machineKey(join(home, 'other')).publicKey;
    expect(await verifyProof(other, text, signature)).toBe(false);
    const last = signature.at(-1) ?? '';
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // The last character carries four bits that mean nothing.
    const alias = alphabet[(alphabet.indexOf(last) & 0b110000) | ((alphabet.indexOf(last) + 1) & 0b001111)];
    for (const wrong of [
      '',
      'x',
      `${signature}=`,
      `${signature.slice(0, -1)}${alias}`,
      signature.replace(/./, '+'),
    ]) {
      expect(await verifyProof(key.publicKey, text, wrong), wrong).toBe(false);
    }
    // The identity of the curve, for which anything would hold in a careless verifier.
    const weak = Buffer.from([1, ...new Array(31).fill(0)]).toString('base64url');
    expect(await verifyProof(weak, text, signature)).toBe(false);
  });

  it('is over a text that no choice of words makes the same for two challenges', () => {
    const parts = fc.record({ origin: anyText, machine: anyText, nonce: anyText, connection: anyText });
    holdsFor(fc.tuple(parts, parts), ([one, other]) => {
      if (JSON.stringify(one) === JSON.stringify(other)) return;
      expect(challengeText(one)).not.toBe(challengeText(other));
    });
  });
});

describe('a fingerprint', () => {
  it('is ten groups that differ from key to key, and of nothing but a key', async () => {
    const [one, other] = [machineKey(home), machineKey(join(home, 'other'))];
    expect(await fingerprintOf(one.publicKey)).toMatch(/^([0-9a-f]{4} ){9}[0-9a-f]{4}$/);
    expect(await fingerprintOf(one.publicKey)).not.toBe(await fingerprintOf(other.publicKey));
    expect([isPublicKey(one.publicKey), isPublicKey(`${one.publicKey}A`), isPublicKey('')]).toEqual([
      true,
      false,
      false,
    ]);
    await expect(fingerprintOf('x')).rejects.toThrow('32 bytes');
  });
});

describe('what a machine is called by default', () => {
  it.each([
    ['mini.local', 'mini'],
    ["Ada's MacBook Pro", 'Ada-s-MacBook-Pro'],
    ['-dash-', 'dash'],
    ['', 'this-computer'],
    ['…', 'this-computer'],
    ['x'.repeat(80), 'x'.repeat(64)],
  ])('for %j is %s', (host, name) => {
    expect(defaultMachineName(host)).toBe(name);
  });

  it('is always a name that a machine may have', () => {
    holdsFor(anyText, (host) => {
      expect(machineName.safeParse(defaultMachineName(host)).success).toBe(true);
    });
  });
});

describe('what a machine keeps of its pairing', () => {
  it('comes back as it was, and is refused when damaged', () => {
    expect(pairedMachine(home)).toBeUndefined();
    const machine = { gateway: 'https://g.example', id: `m_${'a'.repeat(32)}`, name: 'mini' };
    savePairedMachine(home, machine);
    expect(pairedMachine(home)).toEqual(machine);
    expect(statSync(join(home, 'machine.json')).mode & 0o777).toBe(0o600);
    for (const text of [
      '{',
      '{}',
      JSON.stringify({ ...machine, id: '../x' }),
      JSON.stringify({ ...machine, gateway: 'x' }),
    ]) {
      writeFileSync(join(home, 'machine.json'), text);
      expect(() => pairedMachine(home)).toThrow('damaged');
    }
    expect(existsSync(join(home, 'machine-key'))).toBe(false);
  });
});
