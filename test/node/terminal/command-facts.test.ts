import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commandFacts } from '../../../local-bridge/tools/terminal/command-facts.ts';

/** An open folder, and what is said of a command in it. */
function open() {
  const above = mkdtempSync(join(realpathSync(tmpdir()), 'bowline-facts-'));
  onTestFinished(() => rmSync(above, { recursive: true, force: true }));
  const folder = join(above, 'open');
  mkdirSync(folder);
  const said = (command: string) =>
    commandFacts(command, { folder, open: [folder], path: process.env.PATH ?? '' }).map(({ text }) => text);
  return { above, folder, said };
}

describe('the facts about a command', () => {
  it('come also for a path that is longer than any', () => {
    const { said } = open();
    const facts = said(`sudo x > ${'a/'.repeat(16_000)}`);
    expect(facts).toContain('It writes to a path of 32000 characters.');
    expect(facts).toContain('`sudo` runs things as another user, often as the administrator.');
    expect(said(`x > ${'a/'.repeat(2_000)}b`).join()).not.toContain('outside');
  });

  it('count the places of a command that names more than anybody reads', () => {
    const { said } = open();
    const facts = said('>/out;'.repeat(5_000));
    expect(facts).toContain('It writes to or enters 5000 places.');
    expect(facts).toContain('It writes to `/out`, which is outside the open folders.');
    expect(said('>/out;'.repeat(32)).join()).not.toContain('places');
    expect(said('>/out;'.repeat(33))).toContain('It writes to or enters 33 places.');
  });

  it('follow links to where a command would write', () => {
    const { above, folder, said } = open();
    mkdirSync(join(above, 'elsewhere'));
    symlinkSync(join(above, 'elsewhere'), join(folder, 'link'));
    symlinkSync(join(above, 'nowhere'), join(folder, 'dangling'));
    expect(said('x > link/new/file')).toContain(
      `It writes to \`link/new/file\`, which is outside the open folders: ${above}/elsewhere/new/file.`,
    );
    expect(said('x > here/new; y > dangling').join()).not.toContain('outside');
  });
});
