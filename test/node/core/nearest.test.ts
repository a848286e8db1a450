import { describe, expect, it } from 'vitest';
import { nearest } from '../../../src/core/nearest.ts';

const tools = ['hello', 'read_file', 'read_repo_file', 'search_web', 'list_dir', 'mlx_load', 'mlx_unload'];

describe('the nearest name', () => {
  it.each([
    ['helo', 'hello'],
    ['HELLO', 'hello'],
    ['hallo', 'hello'],
    ['readfile', 'read_file'],
    ['read_repo_fil', 'read_repo_file'],
    ['search.web', 'search_web'],
    ['mlx.unload', 'mlx_unload'],
    ['ls_dir', 'list_dir'],
    ['ehllo', 'hello'],
    ['mxl_load', 'mlx_load'],
  ])('to %s is %s', (typed, meant) => {
    expect(nearest(typed, tools)).toBe(meant);
  });

  it.each(['', 'x', 'delete_everything', 'zzzzz'])('to %j is none', (typed) => {
    expect(nearest(typed, tools)).toBeUndefined();
  });

  it('of a short word with two letters swapped is found too', () => {
    expect(nearest('nmae', ['name', 'path'])).toBe('name');
  });

  it('is none where there are no names', () => {
    expect(nearest('hello', [])).toBeUndefined();
  });

  it('is the first of two that are equally near', () => {
    expect(nearest('tool_c', ['tool_a', 'tool_b'])).toBe('tool_a');
  });

  it('of a word without end is looked for in its beginning only', () => {
    const beginning = 'a'.repeat(64);
    expect(nearest(beginning + 'b'.repeat(1_000_000), [beginning])).toBe(beginning);
  });
});
