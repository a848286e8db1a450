import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { askHere } from '../../../local-bridge/agent/prompt/ask-here.ts';
import type { Caller } from '../../../src/core/call.ts';
import { preview } from '../../support/approval-shown.ts';
import { prepared } from '../../support/prepared.ts';
import { promptScreen } from '../../support/prompt-screen.ts';

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
    const { prompt, later, shown } = promptScreen();
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
    const { prompt, shown } = promptScreen();
    const call = new AbortController();
    const asked = askHere(request(call.signal), shownAs, 'mini', prompt);
    call.abort();
    expect(await asked).toEqual({ said: 'no' });
    expect(shown()).toContain('The call was cancelled.');
    expect(prompt.has('call_1')).toBe(false);
  });
});
