import { describe, expect, it } from 'vitest';
import { type Question, SETTLE_MS } from '../../../local-bridge/agent/prompt/questions.ts';
import { promptQuestion, promptScreen } from '../../support/prompt-screen.ts';

describe('the terminal prompt', () => {
  it.each([
    ['y', 'approve'],
    ['YES', 'approve'],
    ['n', 'deny'],
    ['no', 'deny'],
    ['always', 'always'],
    ['nx\b', 'deny'],
    ['n😀\b', 'deny'],
    ['n use pnpm instead', 'deny: use pnpm instead'],
    ['No,  y', 'deny: y'],
    ['n: \u202ea\tb', 'deny: ab'],
    ['n \u001b[Awhy', 'deny: why'],
  ])('takes %j for %s', async (typed, answer) => {
    const { prompt, later, shown } = promptScreen();
    const answered: string[] = [];
    prompt.put(promptQuestion('one', answered));
    expect(shown()).toBe('\none asks\nTool: one\nApprove? (y/n/always): ');
    later();
    await prompt.type(`${typed}\r`);
    expect(answered).toEqual([`one ${answer}`]);
    expect(shown()).toContain('one done\n');
  });

  it.each([
    ...['', 'ye', 'yy', 'alway', 'constructor', 'approve', '\u001b[A', 'nope', 'y!', 'y n', 'y use pnpm'],
    ...['always not', 'lend', '?y', '.y', '1y'],
  ])('asks again after %j', async (typed) => {
    const { prompt, later, shown } = promptScreen();
    const answered: string[] = [];
    prompt.put(promptQuestion('one', answered));
    later();
    await prompt.type(`${typed}\r`);
    expect(answered).toEqual([]);
    expect(shown()).toContain('Answer y, n or always');
    await prompt.type('n\r');
    expect(answered).toEqual(['one deny']);
  });

  it('takes `lend` where a terminal can be lent, and asks on without it if it cannot be after all', async () => {
    const { prompt, later, shown } = promptScreen();
    const decide: Question['decide'] = async (answer) => ({ again: `no ${answer}`, without: answer });
    prompt.put({ ...promptQuestion('one', [], ['approve', 'deny', 'always', 'lend']), decide });
    later();
    await prompt.type('lend it\rlen\rlend!\r');
    expect(shown().match(/Answer y, n, always or lend\.|no \w+\n/g)).toEqual(
      Array(3).fill('Answer y, n, always or lend.'),
    );
    await prompt.type('LEND\r');
    expect(shown()).toMatch(/no lend\n[\s\S]*Approve\? \(y\/n\/always\): $/);
  });

  it('shows every argument whole for ?', async () => {
    const { prompt, later, shown } = promptScreen();
    prompt.put(promptQuestion('one', []));
    later();
    await prompt.type('?\r');
    expect(shown()).toContain('Whole of one\nApprove? (y/n/always): ');
  });

  it('takes nothing that was typed before the question could be read', async () => {
    const { prompt, later } = promptScreen();
    const answered: string[] = [];
    await prompt.type('y\ry\r');
    prompt.put(promptQuestion('one', answered));
    await prompt.type('y\r');
    later(SETTLE_MS - 1);
    await prompt.type('y\r');
    expect(answered).toEqual([]);
    later(1);
    await prompt.type('y\r');
    expect(answered).toEqual(['one approve']);
  });

  it('asks one at a time, and an answer to one is none to the next', async () => {
    const { prompt, later, shown } = promptScreen();
    const answered: string[] = [];
    for (const id of ['one', 'two', 'three']) prompt.put(promptQuestion(id, answered));
    expect(shown()).not.toContain('two');
    later();
    await prompt.type('y\ry\ralways\r');
    expect(answered).toEqual(['one approve']);
    expect(shown()).toContain('Tool: two');
    later();
    await prompt.type('n\r');
    later();
    await prompt.type('y\r');
    expect(answered).toEqual(['one approve', 'two deny', 'three approve']);
  });

  it('takes back what was decided elsewhere, with what was half typed for it', async () => {
    const { prompt, later, shown } = promptScreen();
    const answered: string[] = [];
    for (const id of ['one', 'two', 'three']) prompt.put(promptQuestion(id, answered));
    later();
    await prompt.type('y');
    prompt.withdraw('two', 'two is gone');
    expect(shown()).not.toContain('two is gone');
    prompt.withdraw('one', 'one is gone');
    expect(shown()).toMatch(/one is gone\n[\s\S]*Tool: three/);
    await prompt.type('\r');
    later();
    await prompt.type('\r');
    expect(answered).toEqual([]);
    await prompt.type('y\r');
    expect(answered).toEqual(['three approve']);
    expect(prompt.has('two')).toBe(false);
  });

  it('asks again after an answer that failed, and says why', async () => {
    const { prompt, later, shown } = promptScreen();
    const answered: string[] = [];
    prompt.put({ ...promptQuestion('one', answered), decide: () => Promise.reject(new Error('It rained.')) });
    later();
    await prompt.type('y\r');
    expect(shown()).toMatch(/✗ It rained\.\n\none asks\nTool: one/);
  });

  it('asks again with other answers where one is not to be had, and not once it is taken back', async () => {
    const { prompt, later, shown } = promptScreen();
    const answered: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const decide: Question['decide'] = async () => {
      if (answered.push('tried') > 1) await promise;
      return { again: 'no rule', without: 'always' };
    };
    prompt.put({ ...promptQuestion('one', answered), decide });
    later();
    await prompt.type('always\r');
    expect(shown()).toMatch(/no rule\n[\s\S]*Approve\? \(y\/n\): $/);
    later();
    await prompt.type('always\r');
    expect(answered).toEqual(['tried']);
    const last = prompt.type('y\r');
    prompt.withdraw('one', 'gone');
    resolve();
    await last;
    expect(prompt.has('one')).toBe(false);
  });
});
