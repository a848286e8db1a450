import { describe, expect, it } from 'vitest';
import { conformAll } from '../../../src/joined/conform.ts';
import { previewJoined } from '../../../src/joined/preview-joined.ts';
import type { JoinedRow } from '../../../src/joined/servers.ts';

const [tool] = conformAll('desk', [
  {
    name: 'look_up',
    description: 'Looks a word up with ghp_0123456789abcdefghijABCDEFGHIJ456789.',
    inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
    outputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  },
]).tools;
if (!tool) throw new Error('The tool does not conform.');

const row: JoinedRow = {
  server: 'desk',
  tool,
  grade: 'dangerous',
  url: 'https://desk.example.com/mcp',
  machine: null,
  machineId: null,
  allow: null,
  checkedAt: 1,
  changedAt: null,
  before: null,
};

describe('the preview of a joined tool', () => {
  it('shows what the owner graded, in words that are marked as the server’s, without secrets', () => {
    const { facts, state } = previewJoined(row);
    expect(state).toBeNull();
    expect(facts.map(({ text }) => text)).toEqual([
      'You graded the tool as `dangerous`, with this description and these arguments.',
      expect.stringMatching(/^The server desk says of it: "Looks a word up with \[redacted:/),
      expect.stringMatching(/^Its arguments: \{.*"word".*\}$/),
    ]);
    expect(facts.every(({ unusual }) => !unusual)).toBe(true);
  });

  it('says what the tool was when the owner graded it', () => {
    const before = {
      ...tool,
      description: 'Looks up.',
      inputSchema: {
        type: 'object',
        properties: { word: { type: 'string' }, old: { type: 'string' } },
      },
    } satisfies typeof tool;
    const { facts } = previewJoined({ ...row, before, grade: null, changedAt: Date.UTC(2026, 0, 31) });
    expect(facts.slice(0, 6).map(({ text, unusual }) => [text, unusual])).toEqual([
      ['The tool changed on 2026-01-31, after you last looked at it. This was it before:', true],
      ['It said of itself: "Looks up."', true],
      ['Arguments that are gone: "old".', true],
      ['Arguments that changed: "word".', true],
      [expect.stringMatching(/^Its arguments were: \{.*"old".*\}$/), true],
      ['You have not graded this tool as it is now, so it counts as dangerous.', true],
    ]);
  });

  it('says first that the tool changed, or was never graded', () => {
    const { facts } = previewJoined({ ...row, grade: null, changedAt: Date.UTC(2026, 0, 31) });
    expect(facts.slice(0, 2)).toEqual([
      {
        text: 'The tool changed on 2026-01-31, after you last looked at it; its earlier text is not kept.',
        unusual: true,
      },
      { text: 'You have not graded this tool as it is now, so it counts as dangerous.', unusual: true },
    ]);
  });
});
