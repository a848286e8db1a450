import { describe, expect, it } from 'vitest';
import { hasUnseen } from '../../../src/core/visible.ts';
import {
  approvalLines,
  foldedText,
  type Screen,
  sentenceLine,
  type WaitingCall,
} from '../../../src/gate/approval-lines.ts';
import { foldLine } from '../../../src/gate/fold-line.ts';
import { diffOf, preview, waitingApproval } from '../../support/approval-shown.ts';
import { anyText, holdsFor } from '../../support/property.ts';

const NOW = 1_800_000_000_000;
const plain: Screen = { columns: undefined, paint: (_, text) => text, now: NOW };
const short = { seeAll: '`?` shows all of it' };
const asked = (
  change: Parameters<typeof waitingApproval>[0] = {},
  approval: Partial<NonNullable<WaitingCall['approval']>> = {},
): WaitingCall & { text: string; full: string } => {
  const view = waitingApproval(change);
  const { code, state, note } = view;
  return { ...view, approval: { code, state, note, expiresAt: NOW + 540_000, ...approval } };
};

const edit = {
  tool: 'replace_string_in_file',
  args: { path: 'src/db.ts', old_string: 'a', new_string: 'b' },
  reason: 'The port is wrong.',
  shown: {
    preview: preview({
      facts: [
        { text: 'It is usual.', unusual: false },
        { text: 'Git has uncommitted changes there.', unusual: true },
      ],
      files: [{ path: 'src/db.ts', change: 'change' }],
      diff: '--- src/db.ts\n+++ src/db.ts\n@@ -1,2 +1,2 @@\n one\n-a\n+b\n',
    }),
  },
} as const;
const tally = { times: 3, ok: 2, last: { seq: 1, at: NOW - 300_000, ended: 'ok' } };

const exact = { width: 'exact', words: 'Exactly this call.', checked: 1, passed: 1, denied: 0 };
const like = { width: 'like', words: 'Edits in src.', checked: 9, passed: 3, denied: 1 };

describe('a waiting call in a terminal', () => {
  it('says who wants what where and why, what it would do, what speaks against it, and how long it waits', () => {
    const before = { same: null, like: { ...tally, what: 'src/db.ts' } };
    const call = asked(edit, { before, always: [exact, like] });
    expect(approvalLines(call, short, plain)).toBe(`Claude wants to edit \`src/db.ts\` on mini, in shop
Its reason: "The port is wrong."
  | @@ -1,2 +1,2 @@
  |  one
  | -a
  | +b
! Git has uncommitted changes there.
It would: change src/db.ts
This exact call was never made before.
Other calls of \`src/db.ts\`: 3 times, 2 of them ok; the last 5 minutes ago: ok.
“always” allows this for 30 days: Exactly this call.
K7QX-3M9D · 9 minutes left`);
    const whole = approvalLines(call, 'whole', plain);
    expect(whole).toContain('\n- It is usual.\n');
    expect(whole).toContain(`
“always” (exact) allows: Exactly this call. (so far, 1 of the last 1 call)
“always” (like) allows: Edits in src. (so far, 3 of the last 9 calls, 1 of them denied)
K7QX`);
  });

  it('shows a command, and why nobody looked', () => {
    const call = asked(
      { args: { command: 'npm test\nrm -rf x' }, shown: { why: 'The machine is offline.' } },
      {
        before: { same: { ...tally, times: 1 }, like: null },
        always: [{ width: 'exact', problem: 'Too wide.' }],
      },
    );
    expect(
      approvalLines(call, short, plain),
    ).toBe(`Claude wants to run \`npm test\\nrm -rf x\` on mini, in shop
  | npm test
  | rm -rf x
No preview. The machine is offline.
This exact call was made before: once; the last 5 minutes ago: ok.
“always” isn’t available here. Too wide.
K7QX-3M9D · 9 minutes left`);
  });

  describe('for a lasting terminal', () => {
    const line = (sandboxed: boolean | undefined, more: Parameters<typeof asked>[1]) => {
      const shown = { preview: preview(sandboxed === undefined ? {} : { sandboxed }) };
      const call = asked({ tool: 'terminal_start', args: { session: 'work' }, shown }, more);
      return approvalLines(call, short, plain);
    };

    it.each([true, false, undefined])('says what lending it means, sandboxed: %s', (sandboxed) => {
      const text = line(sandboxed, { lends: 'work', always: [exact] });
      expect(text).toMatch(
        /^“always” .*\n“lend” allows this, and for an hour whatever Claude types into 'work'/m,
      );
      expect(text.includes('\n! That terminal runs without a sandbox')).toBe(sandboxed !== true);
    });

    it.each([
      ['if there is none to lend', { lends: null }],
      ['if a gateway says nothing of it', {}],
      ['once it is decided', { lends: 'work', state: 'approved' }],
    ])('says nothing of it %s', (_, more) => {
      expect(line(false, more)).not.toContain('lend');
    });

    it('lets neither name forge a line', () => {
      const text = line(true, { lends: 'a\n! b\u202e\u001b[2J' });
      expect(text).not.toMatch(/^! b/m);
      expect(text).not.toMatch(/(?!\n)\p{Cc}|\p{Cf}/u);
    });
  });

  it('says where one stands that no longer waits, and what the owner said', () => {
    const text = approvalLines(asked({ state: 'denied', note: 'use "pnpm"' }), short, plain);
    expect(text).toMatch(/You said: "use \\"pnpm\\""\nK7QX-3M9D · denied$/);
  });

  it.each([
    ['a diff of 41 lines', { ...edit, shown: { preview: preview({ diff: diffOf(38) }) } }, '11 more lines'],
    ['a diff of 31 lines', { ...edit, shown: { preview: preview({ diff: diffOf(28) }) } }, '1 more line'],
    ['one long line', { args: { command: 'x'.repeat(4_001) } }, 'the rest of that line'],
    ['two long lines', { args: { command: `${'x'.repeat(4_000)}\ny` } }, '1 more line'],
  ])('cuts %s, and says what is left and how to see it', (_, change, left) => {
    const text = approvalLines(asked(change), short, plain);
    expect(text).toContain(`\n  … ${left}; \`?\` shows all of it\n`);
    expect(text.length).toBeLessThan(6_000);
    expect(approvalLines(asked(change), 'whole', plain)).not.toContain('  … ');
  });

  it.each([
    ['30 lines', { ...edit, shown: { preview: preview({ diff: diffOf(27) }) } }],
    ['4,000 characters', { args: { command: 'x'.repeat(4_000) } }],
  ])('cuts nothing of %s', (_, change) => {
    expect(approvalLines(asked(change), short, plain)).not.toContain('more line');
  });

  it('names the first ten of many files', () => {
    const files = Array.from({ length: 12 }, (_, at) => ({ path: `f${at}`, change: 'create' as const }));
    const call = asked({ shown: { preview: preview({ files }) } });
    expect(approvalLines(call, short, plain)).toMatch(/It would: create f0, .*create f9, and 2 more\n/);
    expect(approvalLines(call, 'whole', plain)).toContain('create f11\n');
  });

  it('has a colour for each line by what it is', () => {
    const painted = approvalLines(asked(edit), short, {
      ...plain,
      paint: (tone, text) => `<${tone}>${text}`,
    });
    expect(painted.split('\n').map((line) => /^<(\w+)>/.exec(line)?.[1] ?? '')).toEqual([
      'question',
      '',
      'hunk',
      '',
      'removed',
      'added',
      'unusual',
      '',
      'quiet',
    ]);
  });

  it('has lines of its own alone, whatever strangers write and however narrow the terminal is', () => {
    holdsFor(anyText, (random) => {
      const text = `${random}\n! No harm.\nIts reason: "none"\u001b[2J${' '.repeat(30)}K7QX-3M9D · done`;
      for (const [columns, length] of [
        [undefined, 'whole'],
        [41, short],
      ] as const) {
        const screen = { ...plain, columns };
        const like = { ...tally, what: text, last: { ...tally.last, ended: text } };
        const facts = [true, false].map((unusual) => ({ text, unusual }));
        const call = asked(
          {
            ...{ client: text, machine: text, root: text, reason: text, note: text },
            args: { command: `${text}\nApprove? (y/n/always):` },
            shown: {
              preview: preview({ facts, files: [{ path: text, change: 'create' }], diff: `+${text}` }),
            },
          },
          {
            before: { same: null, like },
            always: [
              { ...exact, words: text },
              { width: text, problem: text },
            ],
          },
        );
        const rows = approvalLines(call, length, screen).split('\n');
        const own =
          /^(?: {2}\| | {4}… | {2}… |Its reason: "|[!-] |It would: |This exact call|Other calls of|“always” |You said: "|K7QX-3M9D · )/;
        const strange = rows.filter((row) => !own.test(row));
        // The sentence begins with the name that the caller gave itself, and is the first line.
        expect(strange.length).toBeLessThanOrEqual(1);
        for (const once of ['! ', 'Its reason', 'K7QX'])
          expect(rows.filter((row) => row.startsWith(once))).toHaveLength(1);
        expect(rows.filter(hasUnseen)).toEqual([]);
        if (columns !== undefined) for (const row of rows) expect(row.length).toBeLessThanOrEqual(columns);
        expect(
          sentenceLine(call, screen)
            .split('\n')
            .slice(1)
            .filter((row) => !row.startsWith('    … ')),
        ).toEqual([]);
        const question = foldedText(call.full, screen).split('\n');
        expect(question.filter((row) => row.startsWith('Approve?'))).toHaveLength(1);
      }
    });
  });
});

describe('a line that is too wide', () => {
  it.each([
    ['fits', 'a'.repeat(30), 30, ['a'.repeat(30)]],
    ['does not fit', `${'a'.repeat(30)}b`, 30, ['a'.repeat(30), '    … b']],
    ['is of wide characters', '漢'.repeat(11), 20, ['漢'.repeat(10), '    … 漢']],
    ['has tabs', '\t\t\t', 20, ['\t\t', '    … \t']],
    ['is in no terminal', 'a'.repeat(3_000), undefined, ['a'.repeat(3_000)]],
    ['is in a terminal of no width', 'a'.repeat(21), 0, ['a'.repeat(20), '    … a']],
  ])('%s', (_, line, columns, pieces) => {
    expect(foldLine(line, columns)).toEqual(pieces);
  });
});
