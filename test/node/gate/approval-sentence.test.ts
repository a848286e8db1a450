import { describe, expect, it } from 'vitest';
import { sentenceOf, sentenceText } from '../../../src/gate/approval-sentence.ts';

const says = (tool: string, args: Record<string, unknown>) =>
  sentenceText(sentenceOf({ client: 'Claude', tool, machine: 'mini', root: 'shop', args }));

describe('the sentence that asks', () => {
  it.each([
    ['run_in_terminal', { command: 'npm test', cwd: 'app' }, 'run `npm test` on mini, in shop/app'],
    ['create_file', { path: 'a.txt', content: 'x' }, 'write `a.txt` on mini, in shop'],
    ['create_directory', { path: 'a' }, 'create the folder `a` on mini, in shop'],
    ['replace_string_in_file', { path: 'a.txt' }, 'edit `a.txt` on mini, in shop'],
    ['edit_files', { edits: [{ op: 'append', path: 'a' }] }, 'edit `a` on mini, in shop'],
    [
      'edit_files',
      {
        edits: [
          { op: 'delete', path: 'a' },
          { op: 'create', path: 'b' },
          { op: 'move', path: 'c', to: 'd' },
        ],
      },
      'edit, move and delete `a` and 3 more files on mini, in shop',
    ],
    [
      'write_memory_entry',
      { file: 'decisions.jsonl' },
      'add a line to the memory `decisions.jsonl` on mini, in shop',
    ],
    ['fetch_webpage', { url: 'https://a.example' }, 'fetch `https://a.example` on mini, in shop'],
    ['mlx_load', { model: 'org/m', port: 8100 }, 'load the model `org/m` on mini, in shop'],
    ['undo_call', { call_id: 'call_1' }, 'undo the call `call_1` on mini, in shop'],
    ['undo_call', {}, 'use `undo_call` on mini, in shop'],
    ['mlx_unload', { port: 8100 }, 'unload the model on port `8100` on mini, in shop'],
    // A tool of another server may give the same words any meaning.
    [
      'files__edit_files',
      { edits: [{ op: 'delete', path: 'a' }] },
      'use `files__edit_files` on mini, in shop',
    ],
  ])('says of %s %j what it does', (tool, args, sentence) => {
    expect(says(tool, args)).toBe(`Claude wants to ${sentence}`);
  });

  it('lets no path pass for another part of it', () => {
    const path = 'a` and nothing else\u202e\n';
    expect(
      says('edit_files', {
        edits: [
          { op: 'delete', path },
          { op: 'append', path: 'b' },
        ],
      }),
    ).toMatch(/^Claude wants to edit and delete `a` and nothing else\\u\{202e\}.*` and 1 more file on mini/);
  });
});
