import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { type Answer, offered } from '../../../local-bridge/agent/prompt/answer.ts';
import { askHere } from '../../../local-bridge/agent/prompt/ask-here.ts';
import { makePrompt, type Question, SETTLE_MS } from '../../../local-bridge/agent/prompt/questions.ts';
import type { Caller } from '../../../src/core/call.ts';
import { preview } from '../../support/approval-shown.ts';
import { prepared } from '../../support/prepared.ts';

/** A prompt on a screen that is remembered, with a clock that stands still. */
function screen() {
  let now = 1_000;
  let text = '';
  const prompt = makePrompt({
    write: (more) => {
      text += more;
    },
    now: () => now,
    screen: () => ({ columns: undefined, paint: (_, plain) => plain, now: Date.now() }),
  });
  return {
    prompt,
    later: (ms = SETTLE_MS) => {
      now += ms;
    },
    /** What was written since last time. */
    shown: () => {
      const seen = text;
      text = '';
      return seen;
    },
  };
}

function question(
  id: string,
  answered: string[],
  answers: readonly Answer[] = ['approve', 'deny', 'always'],
): Question {
  return {
    id,
    text: (words) => `${id} asks\nTool: ${id}\nApprove? (${offered(words).join('/')}):`,
    full: () => `Whole of ${id}\nApprove? (y/n/always):`,
    answers,
    decide: async (answer, note) => {
      answered.push(`${id} ${answer}${note === '' ? '' : `: ${note}`}`);
      return { said: `${id} done` };
    },
  };
}

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
    const { prompt, later, shown } = screen();
    const answered: string[] = [];
    prompt.put(question('one', answered));
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
    const { prompt, later, shown } = screen();
    const answered: string[] = [];
    prompt.put(question('one', answered));
    later();
    await prompt.type(`${typed}\r`);
    expect(answered).toEqual([]);
    expect(shown()).toContain('Answer y, n or always');
    await prompt.type('n\r');
    expect(answered).toEqual(['one deny']);
  });

  it('takes `lend` where a terminal can be lent, and asks on without it if it cannot be after all', async () => {
    const { prompt, later, shown } = screen();
    const decide: Question['decide'] = async (answer) => ({ again: `no ${answer}`, without: answer });
    prompt.put({ ...question('one', [], ['approve', 'deny', 'always', 'lend']), decide });
    later();
    await prompt.type('lend it\rlen\rlend!\r');
    expect(shown().match(/Answer y, n, always or lend\.|no \w+\n/g)).toEqual(
      Array(3).fill('Answer y, n, always or lend.'),
    );
    await prompt.type('LEND\r');
    expect(shown()).toMatch(/no lend\n[\s\S]*Approve\? \(y\/n\/always\): $/);
  });

  it('shows every argument whole for ?', async () => {
    const { prompt, later, shown } = screen();
    prompt.put(question('one', []));
    later();
    await prompt.type('?\r');
    expect(shown()).toContain('Whole of one\nApprove? (y/n/always): ');
  });

  it('takes nothing that was typed before the question could be read', async () => {
    const { prompt, later } = screen();
    const answered: string[] = [];
    await prompt.type('y\ry\r');
    prompt.put(question('one', answered));
    await prompt.type('y\r');
    later(SETTLE_MS - 1);
    await prompt.type('y\r');
    expect(answered).toEqual([]);
    later(1);
    await prompt.type('y\r');
    expect(answered).toEqual(['one approve']);
  });

  it('asks one at a time, and an answer to one is none to the next', async () => {
    const { prompt, later, shown } = screen();
    const answered: string[] = [];
    for (const id of ['one', 'two', 'three']) prompt.put(question(id, answered));
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
    const { prompt, later, shown } = screen();
    const answered: string[] = [];
    for (const id of ['one', 'two', 'three']) prompt.put(question(id, answered));
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
    const { prompt, later, shown } = screen();
    const answered: string[] = [];
    prompt.put({ ...question('one', answered), decide: () => Promise.reject(new Error('It rained.')) });
    later();
    await prompt.type('y\r');
    expect(shown()).toMatch(/✗ It rained\.\n\none asks\nTool: one/);
  });

  it('asks again with other answers where one is not to be had, and not once it is taken back', async () => {
    const { prompt, later, shown } = screen();
    const answered: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const decide: Question['decide'] = async () => {
      if (answered.push('tried') > 1) await promise;
      return { again: 'no rule', without: 'always' };
    };
    prompt.put({ ...question('one', answered), decide });
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

  it('takes nothing of a line that was begun for another question, up to its Enter', async () => {
    const { prompt, later, shown } = screen();
    const answered: string[] = [];
    for (const id of ['one', 'two']) prompt.put(question(id, answered));
    later();
    await prompt.type('n because ');
    prompt.withdraw('one', 'one is gone');
    later();
    await prompt.type('y');
    await prompt.type('\r');
    expect(answered).toEqual([]);
    expect(shown()).toContain('began that line for another question');
    await prompt.type('y\r');
    expect(answered).toEqual(['two approve']);
  });

  it('takes nothing of such a line when the next question comes only after a while', async () => {
    const { prompt, later } = screen();
    const answered: string[] = [];
    prompt.put(question('one', answered));
    later();
    await prompt.type('n, only if it is read');
    prompt.withdraw('one', 'one is gone');
    prompt.put(question('two', answered));
    later();
    await prompt.type('y\r');
    expect(answered).toEqual([]);
    await prompt.type('y\r');
    expect(answered).toEqual(['two approve']);
  });

  it('takes nothing of a line that began before the question could be read', async () => {
    const { prompt, later } = screen();
    const answered: string[] = [];
    prompt.put(question('one', answered));
    await prompt.type('den');
    later();
    await prompt.type('y\r');
    expect(answered).toEqual([]);
    await prompt.type('y\r');
    expect(answered).toEqual(['one approve']);
  });

  it('goes on with a line that news came into', async () => {
    const { prompt, later, shown } = screen();
    const answered: string[] = [];
    prompt.put(question('one', answered));
    later();
    await prompt.type('n use ');
    prompt.say('offline');
    expect(shown()).toMatch(/offline\n[\s\S]*Approve\? \(y\/n\/always\): n use $/);
    await prompt.type('y\r');
    expect(answered).toEqual(['one deny: use y']);
  });

  it('shows the question again after other news', () => {
    const { prompt, shown } = screen();
    prompt.say('online');
    expect(shown()).toBe('online\n');
    prompt.put(question('one', []));
    shown();
    prompt.say('offline');
    expect(shown()).toMatch(/^\noffline\n\none asks\nTool: one/);
  });
});

describe('asking at the machine', () => {
  const shownAs = { preview: preview({ facts: [{ text: 'It is odd.', unusual: true }] }) };
  const request = (signal?: AbortSignal) => {
    const caller: Caller = {
      principal: 'app:x',
      client: 'Claude\n\u001b[2J',
      via: 'mcp',
      scopes: new Set(['machine']),
      ...(signal ? { signal } : {}),
    };
    return prepared(catalogue.create_directory, { path: 'a\u202eb' }, { caller });
  };

  it.each([
    ['y', { said: 'yes' }],
    ['n', { said: 'no' }],
    ['n ask first', { said: 'no', note: 'ask first' }],
  ])('shows what the call would do, and %s says %j', async (typed, said) => {
    const { prompt, later, shown } = screen();
    const asked = askHere(request(), shownAs, 'mini', prompt);
    const text = shown();
    expect(text).toContain('Tool: create_directory\nParameters:\n  path: a\\u{202e}b\n');
    expect(text).toMatch(/Approve\? \(y\/n\): $/);
    expect(text).toContain('Claude\\n\\u{1b}[2J wants this here:');
    expect(text).toContain('wants to create the folder `a\\u{202e}b` on mini\n! It is odd.\n');
    later();
    await prompt.type('always\r');
    await prompt.type(`${typed}\r`);
    expect(await asked).toEqual(said);
  });

  it('is over when the call is', async () => {
    const { prompt, shown } = screen();
    const call = new AbortController();
    const asked = askHere(request(call.signal), shownAs, 'mini', prompt);
    call.abort();
    expect(await asked).toEqual({ said: 'no' });
    expect(shown()).toContain('The call was cancelled.');
    expect(prompt.has('call_1')).toBe(false);
  });
});
