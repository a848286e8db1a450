import { describe, expect, it } from 'vitest';
import { counted, withProgress } from '../../../local-bridge/lib/long-work.ts';

function screen(isTTY: boolean, columns = 80) {
  let text = '';
  let time = 0;
  const stream = {
    isTTY,
    columns,
    write: (written: string) => {
      text += written;
      return true;
    },
  };
  return {
    run: <T>(work: Parameters<typeof withProgress<T>>[0]) =>
      withProgress(work, stream as NodeJS.WriteStream, () => time),
    wait: (ms: number) => {
      time += ms;
    },
    text: () => text,
  };
}

describe('the progress of long work', () => {
  it('is one line in a terminal, which is gone when the work ends, well or not', async () => {
    const { run, wait, text } = screen(true);
    const failed = run(async ({ tell, say }) => {
      tell('Sending files', 0, 30_000);
      wait(99);
      tell('Sending files', 10, 30_000);
      wait(1);
      tell('Sending files', 1_000, 30_000);
      say('Left out a link.');
      tell('Checking');
      throw new Error('cut');
    });
    await expect(failed).rejects.toThrow('cut');
    const clear = '\r\u001b[K';
    expect(text()).toBe(
      `Sending files: 0 of 30,000 …${clear}Sending files: 1,000 of 30,000 …${clear}Left out a link.\nChecking …${clear}`,
    );
  });

  it('is cut to the width of a terminal, because a line that wraps would stay', async () => {
    const { run, text } = screen(true, 10);
    await run(async ({ tell }) => tell('Sending files', 1, 2));
    expect(text()).toBe('Sending f\r\u001b[K');
  });

  it('is a plain line every five seconds anywhere else, and none for short work', async () => {
    const { run, wait, text } = screen(false);
    await run(async ({ tell }) => {
      tell('Listing');
      wait(4_999);
      tell('Sending', 1);
      wait(1);
      tell('Sending', 2);
      tell('Sending', 3);
      wait(5_000);
      tell('Sending', 4, 5);
    });
    expect(text()).toBe('Sending: 2 …\nSending: 4 of 5 …\n');
  });

  it('counts items as they pass', async () => {
    const told: unknown[][] = [];
    const seen: string[] = [];
    for await (const item of counted(['a', 'b'], (...how) => void told.push(how), 'Sending', 2))
      seen.push(item);
    expect(seen).toEqual(['a', 'b']);
    expect(told).toEqual([
      ['Sending', 1, 2],
      ['Sending', 2, 2],
    ]);
  });
});
