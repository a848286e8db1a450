import { describe, expect, it } from 'vitest';
import { openRig } from './rig.ts';
import { failureIn, sendBy, type Way } from './ways.ts';

/** What was approved, as it was spelt then. */
const APPROVED = '{"path":"docs/é.md","content":"a\\nb \\u0001 😀"}';

async function rigWithApproved() {
  const rig = openRig();
  const answer = await sendBy('url', rig, { args: APPROVED });
  if (answer.kind !== 'asked') throw new Error('expected a question');
  await rig.decide((await rig.announced.nth(1)).code);
  return { rig, state: answer.state };
}

describe('an approval is for a call however it is spelt', () => {
  it.each([
    ['in the same words', APPROVED],
    ['with its keys in another order', '{"content":"a\\nb \\u0001 😀","path":"docs/é.md"}'],
    ['with space between its words', '{ "path" :\n\t"docs/é.md", "content": "a\\nb \\u0001 😀" }'],
    [
      'with its letters escaped',
      '{"path":"docs\\/\\u00e9.md","content":"\\u0061\\u000ab \\u0001 \\ud83d\\ude00"}',
    ],
    ['with its keys escaped', '{"p\\u0061th":"docs/é.md","\\u0063ontent":"a\\nb \\u0001 😀"}'],
    ['with a default spelt out', '{"path":"docs/é.md","content":"a\\nb \\u0001 😀","repeat":false}'],
  ])('%s', async (_, args) => {
    for (const way of ['rest', 'mute', 'old'] satisfies Way[]) {
      const { rig } = await rigWithApproved();
      expect(await sendBy(way, rig, { args }), way).toMatchObject({ kind: 'ok', text: 'run 1' });
      expect(rig.announced.all, way).toHaveLength(1);
    }
  });
});

describe('an approval is for no other call', () => {
  const content = '"content":"a\\nb \\u0001 😀"';
  const others: [what: string, args: string, tool?: string][] = [
    ['a letter more', `{"path":"docs/é.md","content":"a\\nb \\u0001 😀!"}`],
    ['a letter in another case', `{"path":"Docs/é.md",${content}}`],
    ['a space at the end', `{"path":"docs/é.md ",${content}}`],
    ['the same letter composed otherwise', `{"path":"docs/e\\u0301.md",${content}}`],
    ['another line end', `{"path":"docs/é.md","content":"a\\r\\nb \\u0001 😀"}`],
    ['an invisible letter', `{"path":"docs/é.md\\u200b",${content}}`],
    ['an argument less', `{"path":"docs/é.md"}`],
    ['a machine', `{"path":"docs/é.md",${content},"machine":"mini"}`],
    ['a key of its own', `{"path":"docs/é.md",${content},"idempotency_key":"k"}`],
    ['a word that it is to be repeated', `{"path":"docs/é.md",${content},"repeat":true}`],
    ['another tool', APPROVED, 'desk_burn'],
  ];

  it.each(others)('with %s: it asks for itself', async (_, args, tool = 'desk_write') => {
    const { rig } = await rigWithApproved();
    expect(await sendBy('url', rig, { args, tool })).toMatchObject({ kind: 'asked' });
    const { code } = await rig.announced.nth(2);
    expect(code).not.toBe(rig.announced.all[0]?.code);
    expect(rig.desk.runs).toEqual([]);
  });

  it.each(others)(
    'with %s: it is refused if it comes as the one that was approved',
    async (_, args, tool) => {
      const { rig, state } = await rigWithApproved();
      const answer = await sendBy('url', rig, { args, state, ...(tool ? { tool } : {}) });
      if (tool) {
        expect(answer).toMatchObject({
          kind: 'refused',
          code: -32602,
          message: 'Invalid or expired requestState',
        });
      } else {
        expect(failureIn(answer)).toMatchObject({ code: 'approval_mismatch', http_status: 403 });
      }
      expect(rig.desk.runs).toEqual([]);
      expect(rig.announced.all).toHaveLength(1);
      // Nothing was used up by trying.
      expect(await sendBy('url', rig, { args: APPROVED, state })).toMatchObject({ text: 'run 1' });
    },
  );
});

describe('arguments that two readers could understand differently', () => {
  const twice = 'occurs twice in one object';
  const unclear: [what: string, args: string, says: string][] = [
    ['a key twice', '{"path":"a","path":"b"}', twice],
    ['a key twice, spelt in two ways', '{"path":"a","p\\u0061th":"b"}', twice],
    ['a key twice, deeper', '{"path":"a","content":{"x":1,"x":2}}', twice],
    ['half of a pair', '{"path":"a","content":"\\ud83d"}', 'half of a surrogate pair'],
    ['a number that is not exact', '{"path":"a","content":9007199254740993}', 'too large to be exact'],
  ];

  it.each(unclear)('are refused at the door: %s', async (_, args, says) => {
    const rig = openRig();
    for (const way of ['url', 'mute', 'old'] satisfies Way[]) {
      const answer = await sendBy(way, rig, { args });
      expect(answer).toMatchObject({ kind: 'refused', code: -32700, message: expect.stringContaining(says) });
    }
    const failure = failureIn(await sendBy('rest', rig, { args }));
    expect(failure).toMatchObject({ code: 'invalid_input', http_status: 400 });
    expect(failure.message).toContain(says);
    expect(rig.announced.all).toEqual([]);
    expect(rig.desk.runs).toEqual([]);
  });
});
