import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../../lib/exit.ts';
import { counted, type Tell } from '../../lib/long-work.ts';
import { jsonOrNothing, readIfThere } from '../../lib/private-file.ts';
import { checkpointsShape, entriesIn } from '../memory/export.ts';
import { FilesBeside } from '../memory/files-beside.ts';
import { verifyMemory } from '../memory/verify.ts';
import { witnessByKey } from '../memory/witness.ts';
import { FILES, type Manifest, manifestShape, sha256Of } from './format.ts';

/** Reads a backup's manifest, once every file is there and unchanged and the memory's chain holds. */
export async function wholeBackup(
  folder: string,
  tell?: Tell,
): Promise<Manifest & { signed: ReturnType<typeof checkpointsShape.parse> }> {
  const text = readIfThere(join(folder, FILES.manifest));
  const manifest = manifestShape.safeParse(jsonOrNothing(text ?? ''));
  if (!manifest.success) {
    throw notWhole(
      folder,
      text === undefined ? `it has no ${FILES.manifest}` : 'its manifest cannot be read',
    );
  }
  for (const name of Object.values(FILES)) {
    if (name === FILES.manifest) continue;
    if (!existsSync(join(folder, name))) throw notWhole(folder, `${name} is missing`);
    if ((await sha256Of(folder, name)) !== manifest.data.files[name])
      throw notWhole(folder, `${name} was changed`);
  }
  const signed = checkpointsShape.parse(JSON.parse(readFileSync(join(folder, FILES.checkpoints), 'utf8')));
  const log = join(folder, FILES.log);
  const beside = new FilesBeside();
  // Check the log itself too: the manifest proves nothing about it.
  const entriesHere = counted(
    entriesIn(log),
    tell,
    'Checking the backup’s memory',
    manifest.data.memory.entries,
  );
  const verdict = await verifyMemory(beside.watch(entriesHere), signed, witnessByKey(signed.key), {
    mayBeOlder: true,
  });
  const problems = verdict.problems.length > 0 ? verdict.problems : await beside.problems(dirname(log));
  const [problem] = problems;
  if (problem !== undefined) throw notWhole(folder, `its memory has a problem: ${problem}`);
  const { entries, head } = manifest.data.memory;
  if (verdict.entries !== entries || verdict.head !== head)
    throw notWhole(folder, 'its memory does not end where the manifest says');
  return { ...manifest.data, signed };
}

function notWhole(folder: string, because: string): CliError {
  return new CliError(
    `${folder} is not a complete backup: ${because}`.replace(/\.?$/, '.'),
    'Nothing was restored. Use another backup.',
  );
}
