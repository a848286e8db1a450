import { encode } from 'uqr';
import { expect, it } from 'vitest';
import { qrCode } from '../../../local-bridge/lib/qr.ts';
import { runBowline } from '../../support/command.ts';

const ADDRESS = 'https://bowline.example.workers.dev/';

it('a code is drawn in half blocks, module by module what it encodes', () => {
  const lines = qrCode(ADDRESS, { isTTY: true }).split('\n').filter(Boolean);
  // Two rows of modules a line; what is drawn is the light ones, for a dark screen.
  const drawn = lines.flatMap((line) => [
    Array.from(line, (char) => '█▀'.includes(char)),
    Array.from(line, (char) => '█▄'.includes(char)),
  ]);
  const { data, size } = encode(ADDRESS, { border: 2 });
  expect(drawn.slice(0, size).map((row) => row.map((isLight) => !isLight))).toEqual(data);
});

it('no code is drawn where no terminal is, nor for a gateway that answers one computer alone', async () => {
  expect(qrCode(ADDRESS, {})).toBe('');
  const ran = await runBowline(['console', ADDRESS]);
  expect(ran).toEqual({ code: 0, stdout: `  Console: ${ADDRESS}\n`, stderr: '' });
});
