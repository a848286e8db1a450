import { describe, expect, it } from 'vitest';
import { promptQuestion, promptScreen } from '../../support/prompt-screen.ts';

describe('a line that was begun too early, or for another question', () => {
  it('takes nothing of a line that was begun for another question, up to its Enter', async () => {
    const { prompt, later, shown } = promptScreen();
    const answered: string[] = [];
    for (const id of ['one', 'two']) prompt.put(promptQuestion(id, answered));
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
    const { prompt, later } = promptScreen();
    const answered: string[] = [];
    prompt.put(promptQuestion('one', answered));
    later();
    await prompt.type('n, only if it is read');
    prompt.withdraw('one', 'one is gone');
    prompt.put(promptQuestion('two', answered));
    later();
    await prompt.type('y\r');
    expect(answered).toEqual([]);
    await prompt.type('y\r');
    expect(answered).toEqual(['two approve']);
  });

  it('takes nothing of a line that began before the question could be read', async () => {
    const { prompt, later } = promptScreen();
    const answered: string[] = [];
    prompt.put(promptQuestion('one', answered));
    await prompt.type('den');
    later();
    await prompt.type('y\r');
    expect(answered).toEqual([]);
    await prompt.type('y\r');
    expect(answered).toEqual(['one approve']);
  });

  it('goes on with a line that news came into', async () => {
    const { prompt, later, shown } = promptScreen();
    const answered: string[] = [];
    prompt.put(promptQuestion('one', answered));
    later();
    await prompt.type('n use ');
    prompt.say('offline');
    expect(shown()).toMatch(/offline\n[\s\S]*Approve\? \(y\/n\/always\): n use $/);
    await prompt.type('y\r');
    expect(answered).toEqual(['one deny: use y']);
  });

  it('shows the question again after other news', () => {
    const { prompt, shown } = promptScreen();
    prompt.say('online');
    expect(shown()).toBe('online\n');
    prompt.put(promptQuestion('one', []));
    shown();
    prompt.say('offline');
    expect(shown()).toMatch(/^\noffline\n\none asks\nTool: one/);
  });
});
