import { type ChildProcess, spawn } from 'node:child_process';
import { expect } from 'vitest';
import type { Rig } from './rig.ts';

/** Swaps a directory for a link to another, and back, as fast as it can, until it is ended. */
const SWAPPER = `
  const { renameSync, rmSync } = require('node:fs');
  process.chdir(process.argv[2]);
  process.stdout.write('ready');
  const put = (from, to) => {
    for (;;) {
      try {
        return renameSync(from, to);
      } catch {
        // A tool made the folder anew while it was away, and may be writing into it.
        try { rmSync(to, { recursive: true, force: true }); } catch {}
      }
    }
  };
  for (;;) {
    put('d', 'real');
    put('link', 'd');
    put('d', 'link');
    put('real', 'd');
  }
`;

/** Does something while another program swaps the folder `d` for the link `link`. */
export async function whileSwapping(rig: Rig, work: () => Promise<void>): Promise<void> {
  const child: ChildProcess = spawn('node', ['-', rig.path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.stdin?.end(SWAPPER);
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  try {
    await work();
    expect(child.exitCode).toBeNull();
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}
