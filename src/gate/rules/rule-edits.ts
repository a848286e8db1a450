import { editFiles } from '../../../contracts/edit-files.ts';
import { createDirectory, createFile, replaceStringInFile } from '../../../contracts/edits.ts';
import { canonicalJson } from '../../core/json.ts';
import { type FieldMatch, isAboutTheCall, type RuleCall, type RuleDraft, type RuleProblem } from './rule.ts';
import { escaped } from './rule-escape.ts';
import { pathsOf } from './rule-kin.ts';
import { draftOf, none, placeOf, quoted, type Until } from './rule-width-parts.ts';

const EDITS = [createFile, replaceStringInFile, createDirectory];
const MANY = editFiles.wireName;

/** Tells whether a call edits files in an open folder. */
export function isEdit({ tool, args }: RuleCall): boolean {
  if (tool === MANY) return true;
  return typeof args.path === 'string' && EDITS.some(({ wireName }) => wireName === tool);
}

/** Gives the folder that all files of a call are in. An empty text means the open folder itself. */
export function folderOf(call: RuleCall): string {
  const folders = (pathsOf(call) ?? [call.args.path]).map((path) => String(path).split('/').slice(0, -1));
  const [first = []] = folders;
  const shared = first.findIndex((name, i) => folders.some((folder) => folder[i] !== name));
  return (shared < 0 ? first : first.slice(0, shared)).join('/');
}

/** A name that cannot lead up and is not the folder itself. */
const SEGMENT = '(?:[^./\\\\][^/\\\\]*|[.][^./\\\\][^/\\\\]*)';

/**
 * Allows every editing tool below a folder. `edit_files` also moves and deletes, so the rules include it only if the
 * call is one of it.
 */
export function editsBelow(
  call: RuleCall,
  folder: string,
  until: Until,
): { readonly words: string; readonly drafts: readonly RuleDraft[] } | { readonly problem: RuleProblem } {
  if (folder !== '' && !new RegExp(`^${SEGMENT}(?:/${SEGMENT})*$`).test(folder)) {
    return none('strange_folder', 'The folder is written in a way that a rule cannot follow.');
  }
  const begin = folder === '' ? '' : `${folder.replace(/[^\w/-]/gu, escaped)}/`;
  const path: FieldMatch = { regex: `^${begin}${SEGMENT}(?:/${SEGMENT})*$` };
  const isMany = call.tool === MANY;
  const drafts = [...EDITS, ...(isMany ? [editFiles] : [])].map(({ wireName, input }) => {
    const own = { ...call, tool: wireName };
    const names = Object.keys(input.shape).filter(
      (name) => name !== 'machine' && name !== 'reason' && !isAboutTheCall(name, { ...own, args: {} }),
    );
    const root: Record<string, FieldMatch> = call.root === null ? {} : { root: { equals: call.root } };
    const fields = { ...Object.fromEntries(names.map((name) => [name, ANYTHING])), ...root, path };
    const given = { ...Object.fromEntries(names.map((name) => [name, '…'])), root: call.root ?? '…' };
    const at = (path: unknown) =>
      canonicalJson(wireName === MANY ? { ...given, edits: [{ op: 'delete', path }] } : { ...given, path });
    const inside = folder === '' ? '' : `${folder}/`;
    const examples = { must: [at(call.args.path ?? `${inside}x`)], mustNot: [at(`${inside}../x`)] };
    return draftOf(own, { kind: 'arguments', fields }, until, examples);
  });
  const kinds = isMany ? 'edits, moves and deletions' : 'edits';
  const what =
    folder === '' ? `All ${kinds}` : `${kinds[0]?.toUpperCase()}${kinds.slice(1)} in ${quoted(`${folder}/`)}`;
  return { words: `${what}${placeOf(call)}`, drafts };
}

const ANYTHING: FieldMatch = { any: true };
