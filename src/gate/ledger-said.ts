import { isRecord } from '../core/is-record.ts';
import { visibleLine } from '../core/visible.ts';

/** Arguments that tell what a call was about, the most telling first. */
const TELLING = [
  'command',
  'path',
  'url',
  'query',
  'pattern',
  'file',
  'model',
  'id',
  'name',
  'call_id',
  'base_path',
];

/** Arguments that tell nothing by themselves. */
const SILENT = new Set(['machine', 'root', 'reason', 'idempotency_key']);

/** Says in a few words what a call was about: its command, its file, its page. Gives an empty text if no argument says it. */
export function saidBy(args: string, maxChars: number): string {
  const given = objectIn(args);
  const telling = TELLING.map((name) => given[name]).find(isSaying) ?? pathsIn(given.files ?? given.edits);
  const other = Object.entries(given).find(([name, value]) => !SILENT.has(name) && isSaying(value))?.[1];
  return visibleLine(String(telling ?? other ?? ''), maxChars);
}

/** Names the files of a call that is about several. */
function pathsIn(items: unknown): string | undefined {
  if (!Array.isArray(items)) return undefined;
  const paths = items.map((item: unknown) => (isRecord(item) ? item.path : undefined)).filter(isSaying);
  return paths.length === 0 ? undefined : [...new Set(paths)].join(', ');
}

/** Says what a call typed into a terminal: its text, or the keys that it pressed. */
export function typedOf(args: string): string {
  const { text, keys } = objectIn(args);
  return visibleLine(Array.isArray(keys) ? keys.join(', ') : String(text ?? ''), 200);
}

function isSaying(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function objectIn(args: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(args);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
