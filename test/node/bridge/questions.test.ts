import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { askHere } from '../../../local-bridge/agent/prompt/ask-here.ts';
import {
  type Answer,
  makePrompt,
  type Question,
  SETTLE_MS,
} from '../../../local-bridge/agent/prompt/questions.ts';
import type { Caller } from '../../../src/core/call.ts';
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
    about: `${id} asks`,
    text: `Tool: ${id}\nApprove? (y/n/always):`,
    full: `Whole of ${id}\nApprove? (y/n/always):`,
    answers,
    decide: async (answer) => {
      answered.push(`${id} ${answer}`);
      return `${id} done`;
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

  it.each(['', 'ye', 'yy', 'alway', 'constructor', 'approve', '\u001b[A'])(
    'asks again after %j',
    async (typed) => {
      const { prompt, later, shown } = screen();
      const answered: string[] = [];
      prompt.put(question('one', answered));
      later();
      await prompt.type(`${typed}\r`);
      expect(answered).toEqual([]);
      expect(shown()).toContain('Answer y, n or always');
      await prompt.type('n\r');
      expect(answered).toEqual(['one deny']);
    },
  );

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

  it('goes on after an answer that failed, and says why', async () => {
    const { prompt, later, shown } = screen();
    const answered: string[] = [];
    prompt.put({
      ...question('one', answered),
      decide: () => Promise.reject(new Error('It was decided already.')),
    });
    prompt.put(question('two', answered));
    later();
    await prompt.type('y\r');
    expect(shown()).toMatch(/✗ It was decided already\.\n[\s\S]*Tool: two/);
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
    ['y', 'yes'],
    ['n', 'no'],
  ])('shows the call whole, and %s says %s', async (typed, said) => {
    const { prompt, later, shown } = screen();
    const asked = askHere(request(), 'mini', prompt);
    const text = shown();
    expect(text).toContain('Tool: create_directory\nParameters:\n  path: a\\u{202e}b\n');
    expect(text).toMatch(/Approve\? \(y\/n\): $/);
    expect(text).toContain('Claude \\u{1b}[2J wants this here:');
    later();
    await prompt.type('always\r');
    await prompt.type(`${typed}\r`);
    expect(await asked).toBe(said);
  });

  it('is over when the call is', async () => {
    const { prompt, shown } = screen();
    const call = new AbortController();
    const asked = askHere(request(call.signal), 'mini', prompt);
    call.abort();
    expect(await asked).toBe('no');
    expect(shown()).toContain('The call was cancelled.');
    expect(prompt.has('call_1')).toBe(false);
  });
});
