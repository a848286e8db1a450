import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { writePrivate } from '../../../lib/private-file.ts';
import { cloneFolder } from '../wrangler.ts';
import { type Built, stamp } from './build-note.ts';
import { runtimeTemplate } from './template.ts';

/** This program's arguments: a `wrangler.toml`, the source of its Worker, the folder for what is built, and a file. */
const [, , config = '', entry = '', folder = '', file = ''] = process.argv;

/**
 * Builds the Worker, and notes what it was made from. It is a program of its own because the packages that it loads take
 * 200 MB that nobody needs afterwards.
 */
async function prepare(): Promise<void> {
  const began = Date.now();
  const build = join(cloneFolder(), 'scripts', 'build-worker.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [build, entry, folder, '--list-inputs']);
  const read = z.array(z.string()).parse(JSON.parse(stdout));
  // The first changes with whatever npm installs.
  const settings = ['node_modules/.package-lock.json', 'tsconfig.json'].map((one) =>
    join(cloneFolder(), one),
  );
  // What writes the template: the addresses that the runtime refuses stand in it.
  const writers = globSync('*.ts', { cwd: import.meta.dirname }).map((name) =>
    join(import.meta.dirname, name),
  );
  const inputs = [...read, ...settings, ...writers, config].map(stamp);
  // A file that changed meanwhile may have been read before. Without its time, the next start builds again.
  for (const input of inputs) if (input[2] >= began) input[2] = -1;
  // Without one of its modules the runtime would not start, so a missing or changed one is built again too.
  const modules = globSync('*.js', { cwd: folder }).map((name) => stamp(join(folder, name)));
  const built: Built = { files: [...inputs, ...modules], template: runtimeTemplate(config, folder) };
  writePrivate(file, JSON.stringify(built));
}

try {
  await prepare();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
