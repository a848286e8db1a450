import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { folderDisk } from '../../../local-bridge/agent/link/disk.ts';
import { Journal } from '../../../local-bridge/agent/link/journal.ts';

describe('a full disk', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bowline-full-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('in the middle of a line leaves the journal with what fitted', () => {
    const program = `
      import { statSync } from 'node:fs';
      import { folderDisk } from ${JSON.stringify(import.meta.resolve('../../../local-bridge/agent/link/disk.ts'))};
      import { Journal } from ${JSON.stringify(import.meta.resolve('../../../local-bridge/agent/link/journal.ts'))};
      const journal = new Journal(folderDisk(process.argv[1]), () => 'j', 'm');
      const size = () => statSync(process.argv[1] + '/journal').size;
      const before = size();
      journal.start('first');
      let begun = 1;
      // What is before the lines differs by machine. Two of these fit, and leave room for half of a third.
      const around = size() - before - 'first'.length;
      const long = 'l'.repeat((1024 - size()) / 2.5 - around - 1);
      try {
        for (;;) {
          journal.start(long + begun);
          begun++;
        }
      } catch (error) {
        if (error.code !== 'EFBIG') throw error;
      }
      journal.start('short');
      console.log(begun + 1);
    `;
    // No file may grow beyond a kilobyte there, and the write that would is cut off half-way.
    const limited = 'ulimit -f 2; exec node --input-type=module --eval "$1" "$2"';
    const begun = Number(execFileSync('sh', ['-c', limited, 'sh', program, folder], { encoding: 'utf8' }));
    const again = new Journal(folderDisk(folder), () => 'k', 'm');
    expect(again.id).toBe('j');
    expect(again.held()).toHaveLength(begun);
    expect(again.held().at(-1)).toBe('short');
  });

  it('leaves nothing half written', () => {
    const program = `
      import { writeSafely } from ${JSON.stringify(import.meta.resolve('../../../local-bridge/lib/safe-write.ts'))};
      try {
        writeSafely(process.argv[1] + '/long', Buffer.alloc(2000));
      } catch (error) {
        console.log(error.code);
      }
    `;
    const limited = 'ulimit -f 2; exec node --input-type=module --eval "$1" "$2"';
    const said = execFileSync('sh', ['-c', limited, 'sh', program, folder], { encoding: 'utf8' });
    expect([said.trim(), readdirSync(folder)]).toEqual(['EFBIG', []]);
  });
});
