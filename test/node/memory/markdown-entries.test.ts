import { describe, expect, it } from 'vitest';
import { markdownEntries } from '../../../local-bridge/cli/memory/markdown-entries.ts';

describe('entries in Markdown from before', () => {
  it.each([
    ['points of a list', '- one\n- two\n1. three\n', ['- one', '- two', '1. three']],
    ['a point with more lines', '- one\n  goes on\n- two', ['- one\n  goes on', '- two']],
    ['a point with a paragraph of its own', '- one\n\n  more\n\n- two', ['- one\n\n  more', '- two']],
    ['paragraphs', 'one\nstill one\n\ntwo', ['one\nstill one', 'two']],
    ['a heading', '# Rules\n- one', ['# Rules', '- one']],
    [
      'a code block with what stands above it',
      '- Say:\n\n```sh\n- no point\n\n# no heading\n```\n- two',
      ['- Say:\n\n```sh\n- no point\n\n# no heading\n```', '- two'],
    ],
    [
      'a code block with another mark in it',
      'Write\n~~~~\n~~~\n```\n~~~~\n\nnext',
      ['Write\n~~~~\n~~~\n```\n~~~~', 'next'],
    ],
    ['a code block without an end', 'a\n\n```\nb\n\n- c', ['a\n\n```\nb\n\n- c']],
    ['Windows’ line ends', '- one\r\n  more\r\n\r\n- two\r\n', ['- one\n  more', '- two']],
    ['nothing', '\n \n', []],
  ])('are %s', (_what, text, entries) => {
    expect(markdownEntries(text)).toEqual(entries);
  });
});
