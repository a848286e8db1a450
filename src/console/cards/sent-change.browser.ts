import { type Line, linesOf } from './elements.browser.ts';
import { recordsIn, textIn } from './host.browser.ts';

/**
 * Shows what a call changes in files, by what the call itself sent: a card has no other lines of a file. The owner's page
 * shows the lines around it as well.
 */
export function sentChange(tool: string, args: Record<string, unknown>): Line[] {
  switch (tool) {
    case 'create_file':
      return [head(`new file ${textIn(args.path)}`), ...signed('+', args.content)];
    case 'replace_string_in_file':
      return [head(textIn(args.path)), ...signed('-', args.old_string), ...signed('+', args.new_string)];
    case 'write_memory_entry':
      return [head(`${textIn(args.file)}, a new line`), ...signed('+', entryIn(args.entry))];
    case 'edit_files':
      return recordsIn(args.edits).flatMap(({ op, path, to, old, text }) => [
        head(`${textIn(op)} ${textIn(path)}${to === undefined ? '' : ` to ${textIn(to)}`}`),
        ...signed('-', old),
        ...signed('+', text),
      ]);
    default:
      return [];
  }
}

function head(text: string): Line {
  return { text, sign: '@' };
}

function signed(sign: '+' | '-', text: unknown): Line[] {
  return typeof text === 'string' && text !== ''
    ? linesOf(text, 'first').map((line) => ({ sign, ...line }))
    : [];
}

function entryIn(entry: unknown): string {
  return typeof entry === 'string' ? entry : JSON.stringify(entry ?? '');
}
