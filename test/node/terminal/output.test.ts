import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  fitTogether,
  KEPT_BYTES,
  openCapture,
  shorten,
} from '../../../local-bridge/tools/terminal/capture.ts';
import { capturedText, plainText } from '../../../local-bridge/tools/terminal/clean-text.ts';
import { openLiveOutput } from '../../../local-bridge/tools/terminal/live-output.ts';
import { holdsFor } from '../../support/property.ts';
import { until } from './rig.ts';

const captured = (text: string | Buffer, limit?: number, size = 7) => {
  const capture = openCapture(limit);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) capture.take(bytes.subarray(at, at + size));
  return capture.done();
};

describe('what is kept of a stream', () => {
  it.each([
    [9, 0],
    [10, 0],
    [11, 1],
    [10_000, 9_990],
  ])('of %i bytes with room for ten, %i are missing', (length, missing) => {
    const text = Array.from({ length }, (_, index) => String.fromCharCode(97 + (index % 26))).join('');
    const kept = captured(text, 10);
    expect(kept.missing).toBe(missing);
    if (missing === 0) expect(String(kept.head)).toBe(text);
    else expect([String(kept.head), String(kept.tail)]).toEqual([text.slice(0, 5), text.slice(-5)]);
  });

  it('is the same however the stream comes in pieces', () => {
    holdsFor(
      fc.record({
        bytes: fc.uint8Array({ maxLength: 200 }),
        limit: fc.integer({ min: 2, max: 64 }),
        size: fc.integer({ min: 1, max: 90 }),
      }),
      ({ bytes, limit, size }) => {
        const kept = captured(Buffer.from(bytes), limit, size);
        expect(kept).toEqual(captured(Buffer.from(bytes), limit, 1_000));
        expect(kept.head.length + kept.tail.length + kept.missing).toBe(bytes.length);
        expect(kept.head.length + kept.tail.length).toBeLessThanOrEqual(limit);
      },
    );
  });

  it('makes room for both streams, and never loses standard error to a flood', () => {
    const sizes = (out: number, err: number) => {
      const both = fitTogether(captured('o'.repeat(out), 100), captured('e'.repeat(err), 100), 100);
      return [both.out, both.err].map(({ head, tail }) => head.length + tail.length);
    };
    expect(sizes(60, 40)).toEqual([60, 40]);
    expect(sizes(100, 10)).toEqual([90, 10]);
    expect(sizes(500, 500)).toEqual([75, 25]);
    expect(sizes(20, 500)).toEqual([20, 80]);
    const both = fitTogether(captured('o'.repeat(500), 100), captured('e'.repeat(7), 100), 100);
    expect(both.out.missing).toBe(500 - 93);
    expect(shorten(captured('abcdef', 10), 4)).toMatchObject({
      missing: 2,
      head: Buffer.from('ab'),
      tail: Buffer.from('ef'),
    });
  });
});

describe('what is shown of a stream', () => {
  it.each([
    ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
    ['a title', '\u001b]0;evil title\u0007text', 'text'],
    ['a link', '\u001b]8;;http://evil/\u001b\\here\u001b]8;;\u001b\\', 'here'],
    ['a clipboard write', '\u001b]52;c;ZXZpbA==\u0007x', 'x'],
    ['a string without end', 'a\u001b]0;never closed\nb', 'a\nb'],
    ['device control', '\u001bPq#0;2;0;0;0\u001b\\x', 'x'],
    ['short sequences', '\u001b7\u001b(Bx\u001bc\u001b=', 'x'],
    ['eight-bit controls', '\u009b31mx\u009d0;t\u009cy', 'xy'],
    ['a sequence cut short', 'x\u001b[', 'x'],
    ['a lone escape', 'x\u001b', 'x'],
    ['clearing the screen', '\u001b[2J\u001b[Hx', 'x'],
    ['control characters', 'a\u0000b\u0007c\u000bd\u007fe', 'abcde'],
    ['bidi characters', 'a\u202eb\u2066c\u200fd', 'abcd'],
    ['letters struck over', 'b\u0008bo\u0008o', 'bo'],
    ['a progress bar', ' 1%\r 50%\r100%\ndone\r\n', '100%\ndone\n'],
    ['a line given back', 'abc\r', 'abc'],
    ['tabs and empty lines, which stay', '\ta\n\n\tb\n', '\ta\n\n\tb\n'],
    ['text of all kinds, which stays', 'žluť 漢字 👩‍👩‍👧 می‌خواهم', 'žluť 漢字 👩‍👩‍👧 می‌خواهم'],
  ])('leaves out %s', (_, given, shown) => {
    expect(plainText(given)).toBe(shown);
  });

  it('holds nothing that steers a terminal, whatever comes', () => {
    const nasty = fc.string({
      unit: fc.constantFrom(
        '\u001b',
        '[',
        ']',
        '\u009b',
        '\u0007',
        '\\',
        'm',
        '0',
        ';',
        '\r',
        '\n',
        '\u0008',
        'x',
        'P',
        '\u009c',
      ),
      maxLength: 40,
    });
    holdsFor(nasty, (text) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
      expect(plainText(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    });
  });

  it('takes no longer for text made to be slow', () => {
    /** Processor time, which other programs do not add to. */
    const costOf = (unit: string) => {
      const text = captured(unit.repeat(Math.ceil(KEPT_BYTES / unit.length)), undefined, 65_536);
      const before = process.cpuUsage();
      capturedText(text);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const plain = Math.max(costOf('plain words. '), costOf('plain words. '), 20_000);
    let total = 0;
    for (const unit of [
      '\u001b]',
      '\r',
      'a\r',
      '\u001b[',
      'a\u0008',
      'password',
      'a.',
      'https://a:',
      '-----BEGIN PRIVATE KEY-----',
      'eyJ',
      'cookie:',
      'login a ',
    ]) {
      // What grows with the square of a megabyte takes thousands of times as long.
      const cost = costOf(unit);
      total += cost;
      expect(cost / plain, JSON.stringify(unit)).toBeLessThan(60);
    }
    expect(total / 1_000).toBeLessThan(8_000);
  });

  it('says how much is missing, and cuts no line, letter or secret in two', () => {
    const secret = `ghp_${'s'.repeat(36)}`;
    const line = `key ${secret} é\n`;
    const text = capturedText(captured(line.repeat(200), 1_000));
    expect(text).toMatch(
      /^(?:key \[redacted:github-token\] é\n)+\[… [\d,]+ bytes or more left out here …\]\n(?:key \[redacted:github-token\] é\n)+$/,
    );
  });

  it.each([1, 2, 3, 5, 8, 13, 21, 34])('hides a secret that the cut goes through (at %i)', (offset) => {
    const secret = `ghp_${'s'.repeat(36)}`;
    // No line ends anywhere near, as in one long line of JSON.
    const text = 'x '.repeat(5_000) + secret + ' y'.repeat(20_000) + secret + ' z'.repeat(5_000);
    const fromStart = capturedText(captured(text, 2 * (10_000 + offset)));
    const fromEnd = capturedText(captured([...text].reverse().join(''), 2 * (10_000 + offset)));
    for (const shown of [fromStart, fromEnd]) expect(shown).not.toMatch(/s{3}/);
  });

  it('hides a private key of which only the end is left', () => {
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${`${'K'.repeat(64)}\n`.repeat(200)}-----END RSA PRIVATE KEY-----\nafter\n`;
    const text = capturedText(captured(`before\n${'.\n'.repeat(10)}${key}`, 4_000));
    expect(text).not.toContain('KKK');
    expect(text).toMatch(/^before\n/);
    expect(text).toMatch(/after\n$/);
  });

  it.each([
    ['colour', (secret: string) => `${secret.slice(0, 9)}\u001b[0m${secret.slice(9)}`],
    ['a control character', (secret: string) => `${secret.slice(0, 9)}\u0000${secret.slice(9)}`],
    ['an unseen character', (secret: string) => `${secret.slice(0, 9)}\u200b${secret.slice(9)}`],
  ])('hides a secret that is parted by %s', (_, parted) => {
    expect(capturedText(captured(parted(`ghp_${'s'.repeat(36)}`)))).toBe('[redacted:github-token]');
  });
});

describe('what is told while a command runs', () => {
  const listen = () => {
    const heard: string[] = [];
    return { heard, live: openLiveOutput((text) => heard.push(text), 1) };
  };

  it('is whole lines, so that a secret in two pieces is known', async () => {
    const { heard, live } = listen();
    live.take(Buffer.from('one\nghp_ssssssssssssssssss'));
    await until('the first line', () => heard.length === 1);
    live.take(Buffer.from('ssssssssssssssssss two\n'));
    await until('the second line', () => heard.length === 2);
    expect(heard).toEqual(['one\n', '[redacted:github-token] two\n']);
    live.close();
  });

  it('hides a key of many lines, however the lines come', async () => {
    const { heard, live } = listen();
    live.take(Buffer.from('-----BEGIN \u001b[1mPRIVATE KEY-----\nAAAA\n'));
    await until('the key begins', () => heard.length === 1);
    live.take(Buffer.from('BBBB\n'));
    live.take(Buffer.from('-----END PRIVATE KEY-----\nafter\n'));
    await until('it goes on', () => heard.join('').includes('after'));
    expect(heard.join('')).not.toMatch(/AAAA|BBBB/);
    live.close();
  });

  it('leaves out a line too long to wait for, to its end', async () => {
    const { heard, live } = listen();
    live.take(Buffer.from(`a\n${'x'.repeat(9_000)}`));
    live.take(Buffer.from(`${'y'.repeat(9_000)}`));
    live.take(Buffer.from('zzz\nafter\n'));
    await until('it goes on', () => heard.join('').includes('after'));
    expect(heard.join('')).toBe('a\nafter\n');
    live.close();
  });

  it('comes no more often than every 250 ms', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const heard: string[] = [];
    const live = openLiveOutput((text) => heard.push(text));
    for (let ms = 0; ms < 1_000; ms += 10) {
      live.take(Buffer.from('x\n'));
      vi.advanceTimersByTime(10);
    }
    expect(heard.map(({ length }) => length / 2)).toEqual([25, 25, 25, 25]);
    live.close();
  });

  it('keeps letters whole that come in two pieces', async () => {
    const { heard, live } = listen();
    const bytes = Buffer.from('漢字\n');
    for (const byte of bytes) live.take(Buffer.from([byte]));
    await until('it is told', () => heard.length > 0);
    expect(heard).toEqual(['漢字\n']);
    live.close();
  });

  it('is the newest part of a flood, and nothing once it is closed', async () => {
    const { heard, live } = listen();
    for (let index = 0; index < 5_000; index += 1) live.take(Buffer.from(`line ${index}\n`));
    await until('it is told', () => heard.length > 0);
    expect(heard[0]).toHaveLength(4_096);
    expect(heard[0]?.endsWith('line 4999\n')).toBe(true);
    live.take(Buffer.from('too late\n'));
    live.close();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(heard).toHaveLength(1);
  });
});
