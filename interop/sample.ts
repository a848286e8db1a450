/** What the walk finds on the machine and in its repo. */
export const SMALL = { path: 'small.txt', text: 'one\ntwo: Zoë 日本\n', lines: 2 };

/** As large as a file of the mirror may be: 1 MiB, with letters of one to four bytes in it. */
export const LARGE = { path: 'docs/large.md', text: largeText(1024 * 1024) };

/** Letters that are combined, from right to left, and outside the first plane. */
export const NAME = 'Zoë 日本 שלום 👩🏽‍🚀 e\u0301';

function largeText(bytes: number): string {
  const line = `${'æ 日 👩 '.repeat(8)}\n`;
  const size = Buffer.byteLength(line);
  const whole = Math.floor(bytes / size);
  return line.repeat(whole) + '.'.repeat(bytes - whole * size);
}
