import { describe, expect, it } from 'vitest';
import { TAIL_CHARS, Tail } from '../../../src/machines/tail.ts';

describe('the tail of what a running call says', () => {
  it('grows with a command’s lines, and keeps the last ones from the beginning of a line', () => {
    const tail = new Tail('run_in_terminal');
    tail.take('one\n');
    tail.take('two\n');
    expect(tail.said).toBe('one\ntwo\n');
    const fits = `${'x'.repeat(TAIL_CHARS - 9)}\n`;
    tail.take(fits);
    expect(tail.said).toBe(`one\ntwo\n${fits}`);
    expect(tail.said).toHaveLength(TAIL_CHARS);
    tail.take('y');
    expect(tail.said).toBe(`two\n${fits}y`);
  });

  it('keeps the end of a line that is longer than all', () => {
    const tail = new Tail('run_in_terminal');
    tail.take(`${'a'.repeat(TAIL_CHARS)}b`);
    expect(tail.said).toBe(`${'a'.repeat(TAIL_CHARS - 1)}b`);
    const broken = new Tail('run_in_terminal');
    broken.take(`👩${'a'.repeat(TAIL_CHARS - 1)}`);
    expect(broken.said.isWellFormed()).toBe(true);
  });

  it('is the last sentence of any other tool', () => {
    const tail = new Tail('mlx_load');
    tail.take('Loading.');
    tail.take('Still loading.');
    expect(tail.said).toBe('Still loading.');
  });
});
