import { outputOf, type Rig } from '../workspace/rig.ts';

/** What an answer says of one file. */
export interface Read {
  readonly path: string;
  readonly kind: string;
  readonly data?: string;
  readonly error?: { readonly code: string };
}

/** Reads several files, and gives the text of each. */
export async function read(rig: Rig, files: readonly (string | object)[], more: object = {}) {
  const wanted = files.map((one) => (typeof one === 'string' ? { path: one } : one));
  const { output, metadata } = outputOf(await rig.call('read_files', { files: wanted, ...more }));
  const mark = `--- ${metadata.mark} `;
  const bodies = output
    .split('\n')
    .reduce<string[][]>((all, line) => {
      if (line.startsWith(mark)) all.push([]);
      else all.at(-1)?.push(line);
      return all;
    }, [])
    .map((lines) => lines.join('\n').replace(/\n$/, ''));
  return { output, bodies, mark, files: metadata.files as readonly Read[] };
}
