import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasTerminal, inTerminal } from '../support/terminal.ts';

const QUESTION = /Approve\? \(y\/n\/always\):/;

function calling() {
  const base = mkdtempSync(join(tmpdir(), 'bowline-call-local-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const env = { BOWLINE_HOME: join(base, 'home') };
  const work = join(base, 'work');
  mkdirSync(work);
  const args = ['call', '--local', 'create_file', '--path', 'made.txt', '--content', 'x'];
  const terminal = inTerminal(args, env, work);
  onTestFinished(() => terminal.kill());
  return { terminal, made: join(work, 'made.txt') };
}

describe.skipIf(!hasTerminal)('bowline call --local in a real terminal (needs util-linux `script`)', () => {
  it('takes no key that was typed before its question could be read', async () => {
    const { terminal, made } = calling();
    // Long before the process reads anything, and again at the moment the question appears.
    terminal.type('y\nalways\ny\r');
    await terminal.shows(QUESTION);
    terminal.type('y\r');
    await terminal.typeUntil('n\r', /Denied/);
    await terminal.ended;
    expect(existsSync(made)).toBe(false);
  });

  it('says what would be written, and tells a sentence after a no to whoever asked', async () => {
    const { terminal, made } = calling();
    await terminal.shows(QUESTION);
    const screen = terminal.output().replaceAll('\r', '');
    expect(screen).toMatch(/wants to write `made\.txt` on \S+, in work\n {2}\| @@ .*\n {2}\| \+x\n/);
    expect(screen).toMatch(/\nIt would: create made\.txt\n/);
    expect(screen).toMatch(
      /left\n\nTool: create_file\nParameters:\n {2}path: made\.txt\n {2}content: <1 byte>\nFiles affected: made\.txt\nRisk level: safe_write\n\nApprove\? \(y\/n\/always\): $/,
    );
    await terminal.typeUntil('n use pnpm instead\r', /said no to this call: “use pnpm instead”/);
    await terminal.ended;
    expect(existsSync(made)).toBe(false);
  });

  it('takes a yes to the question that is on the screen', async () => {
    const { terminal, made } = calling();
    await terminal.shows(QUESTION);
    await terminal.typeUntil('y\r', /It runs/);
    await terminal.ended;
    expect(readFileSync(made, 'utf8')).toBe('x');
  });
});
