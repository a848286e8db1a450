import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { READ_BYTES } from '../../../../contracts/terminal-session-fields.ts';
import { drawScreen } from '../../../../local-bridge/tools/terminal/sessions/screen.ts';
import { AT_LENGTH } from '../../../support/at-length.ts';
import { envelopeIn } from '../rig.ts';
import { openSessionRig } from './rig.ts';

const TOKEN = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;

/** Everything that is kept of sessions on the disk. */
function kept(home: string): string {
  const folder = join(home, 'terminals');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'utf8'))
    .join('');
}

describe('output', () => {
  it('has no secret in it, not even one that comes in two halves', async () => {
    const rig = await openSessionRig();
    const [first, second] = [TOKEN.slice(0, 12), TOKEN.slice(12)];
    await rig.start({
      command: `stty -echo; printf 'a ${first}'; read -r x; printf '${second}\\n'; echo done`,
    });
    const half = envelopeIn(await rig.readUntil('a ')).output;
    const screen = envelopeIn(await rig.read({ screen: true })).output;
    for (const text of [half, screen]) {
      expect(text).not.toContain(first);
      expect(text).toContain('a ');
    }
    await rig.send({ text: '\n', program: true });
    const all = envelopeIn(await rig.readUntil('done\n')).output;
    expect(all).toMatch(/^a \[redacted:/m);
    expect(all).not.toContain(second);
    expect(envelopeIn(await rig.read({ screen: true })).output).not.toContain(second);
    expect(kept(rig.home)).toContain('[redacted:');
    expect(kept(rig.home)).not.toContain(second);
  });

  it('shows no line of a private key, whenever it is read', async () => {
    const rig = await openSessionRig();
    const key = [
      '-----BEGIN PRIVATE KEY-----',
      'MIIBVgIBADANBg',
      'kqhkiG9w0BAQEF',
      '-----END PRIVATE KEY-----',
    ];
    await rig.start({
      command: `stty -echo; echo '${key[0]}'; echo '${key[1]}'; read -r x; echo '${key[2]}'; echo '${key[3]}'; echo done`,
    });
    const half = envelopeIn(await rig.read({ wait_seconds: 1 })).output;
    await rig.send({ text: '\n', program: true });
    const all = envelopeIn(await rig.readUntil('done\n')).output;
    for (const text of [half, all, kept(rig.home)]) {
      expect(text).not.toContain(key[1]);
      expect(text).not.toContain(key[2]);
    }
    expect(all).toContain('[redacted:private-key]\ndone\n');
  });

  it('shows a question that waits on its line', async () => {
    const rig = await openSessionRig();
    await rig.start({ command: "printf 'Overwrite? [y/N] '; read -r x" });
    expect(envelopeIn(await rig.readUntil('[y/N] ')).output).toMatch(/Overwrite\? \[y\/N\] $/);
  });

  it('is plain: no sequence steers the terminal of who reads it', async () => {
    const rig = await openSessionRig();
    await rig.start({
      command: String.raw`printf '\033[31mred\033[0m \033]0;title\007\033]52;c;ZXZpbA==\007a\u202eb\u2028c\n'; printf '\033Pq#0\033\\x\rdone\n'`,
    });
    const { output } = envelopeIn(await rig.readUntil('done\n'));
    expect(output).toContain('red abc\ndone\n');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there.
    expect(output).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u202e]/);
  });

  it('finds no text by an escape sequence that it does not show', async () => {
    const rig = await openSessionRig();
    await rig.start({ command: String.raw`printf '\033[31mred\033[0m\n'` });
    const read = envelopeIn(await rig.read({ until: '\u001b[31m', wait_seconds: 35 }));
    expect(read.metadata).toMatchObject({ found: false, running: false });
    expect(envelopeIn(await rig.read({ until: 'red' })).metadata.found).toBe(true);
  });

  it('finds a text that comes in pieces, and one in front of the offset not', async () => {
    const rig = await openSessionRig();
    await rig.start({ command: `stty -echo; printf 'rea'; read -r x; printf 'dy\\n'` });
    const reading = rig.read({ until: 'ready', wait_seconds: 35 });
    await rig.send({ text: '\n', program: true });
    expect(envelopeIn(await reading).metadata.found).toBe(true);
    expect(envelopeIn(await rig.read({ until: 'ready', offset: 6, wait_seconds: 35 })).metadata.found).toBe(
      false,
    );
  });

  it('is read in bounded pieces that join without a gap', async () => {
    const rig = await openSessionRig();
    await rig.start({ command: `seq -f 'line %06g é' 1 8000; echo end` });
    await rig.readUntil('end\n');
    let text = '';
    let offset = 0;
    for (;;) {
      const { output, metadata } = envelopeIn(await rig.read({ offset }));
      const part = output.slice(output.indexOf('\n') + 1);
      expect(Buffer.byteLength(part)).toBeLessThanOrEqual(READ_BYTES);
      text += part;
      if (metadata.next_offset === offset) break;
      offset = Number(metadata.next_offset);
    }
    const lines = Array.from({ length: 8000 }, (_, i) => `line ${String(i + 1).padStart(6, '0')} é\n`);
    expect(text).toBe(`${lines.join('')}end\n`);
  });

  it('stays bounded on the disk and in memory however much comes, and says what is gone', async () => {
    const rig = await openSessionRig();
    const bytes = AT_LENGTH ? 200_000_000 : 20_000_000;
    await rig.start({ command: `head -c ${bytes} /dev/zero | tr '\\0' x | fold -w 99; echo; echo end` });
    const before = process.memoryUsage.rss();
    for (let running = true; running; ) {
      const { metadata } = envelopeIn(
        await rig.read({ until: 'nothing says this', wait_seconds: 35, offset: 2 * bytes }),
      );
      running = metadata.running === true;
    }
    expect(kept(rig.home).length).toBeLessThanOrEqual(16 * 262_144);
    expect(process.memoryUsage.rss() - before).toBeLessThan(150 * 1_048_576);
    const { metadata } = envelopeIn(await rig.read());
    expect(Number(metadata.missed_bytes)).toBeGreaterThan(bytes - 17 * 262_144);
    const [listed] = envelopeIn(await rig.call('terminal_list', {})).metadata.sessions as {
      end_offset: number;
    }[];
    expect(envelopeIn(await rig.read({ offset: Number(listed?.end_offset) - 10 })).output).toMatch(
      /\nx+\nend\n$/,
    );
  });
});

describe('the screen', () => {
  const body = Array.from(
    { length: 60 },
    (_, row) => `${String(row).padStart(2, '0')}${'aB3+'.repeat(15)}xY`,
  );
  const [head, end] = ['-----BEGIN OPENSSH PRIVATE KEY-----', '-----END OPENSSH PRIVATE KEY-----'];
  const up = '\u001b[20A';

  it.each([
    ['whose head has scrolled away', `${[head, ...body, end].join('\r\n')}\r\n$ `],
    ['whose end is not printed yet', [head, ...body.slice(0, 20)].join('\r\n')],
    ['of which only the middle shows', body.join('\r\n')],
    ['with the cursor in its middle', [head, ...body.slice(0, 30), end, `$ ${up}`].join('\r\n')],
    ['whose lines are set in', [head, ...body.slice(0, 20), end].map((line) => `   ${line}`).join('\r\n')],
  ])('shows nothing of a private key %s', async (_, output) => {
    const screen = await drawScreen(Buffer.from(`${output}`));
    expect(screen).toContain('[redacted:private-key]');
    expect(screen).not.toContain('aB3+');
  });

  it('shows one line of base64, and the lines around a key', async () => {
    const short = ['before', head, ...body.slice(0, 3), end, 'after', 'c2lnbmF0dXJl'.repeat(5), 'last'];
    const screen = await drawScreen(Buffer.from(short.join('\r\n')));
    expect(screen).toMatch(/^before\n\[redacted:private-key\]\n+after\n(?:c2lnbmF0dXJl){5}\n/);
  });

  it('is drawn as it looks, with what a program wrote over', async () => {
    const rig = await openSessionRig();
    await rig.start({ command: String.raw`printf 'old\033[2J\033[3;5Hmenu\033[5;1H> '; read -r x` });
    await rig.readUntil('> ');
    expect(envelopeIn(await rig.read({ screen: true })).output).toBe(
      "Session 'work' is running.\n\n\n    menu\n\n> \n",
    );
  });

  it('has no secret in it, not even one that a fold divides', async () => {
    const line = `${'x'.repeat(140)} ${TOKEN} y\r\n`;
    const screen = await drawScreen(Buffer.from(line));
    expect(screen).toContain('[redacted:');
    expect(screen).not.toContain(TOKEN.slice(-8));
  });

  it.each([
    ['a letter repeated two thousand million times', 'x\u001b[2147483647b'],
    ['lines put in without end', '\u001b[2147483647L'.repeat(20_000)],
    ['scrolling without end', '\u001b[2147483647S'.repeat(20_000)],
    ['letters put in without end', '\u001b[2147483647@'.repeat(20_000)],
    ['a storm of new sizes', '\u001b[8;9999;9999t\u001b[?3h\u001b[?3l'.repeat(20_000)],
    ['an image without end', `\u001bPq${'!99999~'.repeat(50_000)}`],
    ['a title without end', `\u001b]0;${'x'.repeat(500_000)}`],
  ])('is drawn or given up in bounded time after %s', async (_, output) => {
    const ticks: number[] = [];
    const timer = setInterval(() => ticks.push(performance.now()), 5);
    const screen = await drawScreen(Buffer.from(`${output}`), 1_000);
    clearInterval(timer);
    expect(screen === undefined || screen.length <= 160 * 41).toBe(true);
    // The bridge went on meanwhile.
    expect(ticks.length).toBeGreaterThan(1);
  });
});
