import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runInTerminal } from '../../../contracts/terminal.ts';
import { SOON_MS } from '../../support/soon.ts';
import { failureIn } from '../../support/tools.ts';
import { envelopeIn, openRig, printedIn } from './rig.ts';

describe('run_in_terminal', () => {
  it.each(runInTerminal.examples)('gives what its contract shows: $about', async ({ input, output }) => {
    const { run } = await openRig();
    const answer = envelopeIn(await run(input));
    expect(answer).toEqual({
      ...output,
      execution_time_ms: answer.execution_time_ms,
      metadata: { ...output.metadata, sandboxed: false },
    });
  });

  it('works in the first open folder, or in the one that is named', async () => {
    const { run, root, other } = await openRig();
    expect(printedIn(await run('pwd'))).toBe(`${root}\n`);
    expect(printedIn(await run({ command: 'pwd', root: 'other' }))).toBe(`${other}\n`);
  });

  it('knows no other folder, and runs nothing then', async () => {
    const { run, base } = await openRig();
    const failure = failureIn(await run({ command: `touch ${base}/ran`, root: '../other' }));
    expect(failure).toMatchObject({ code: 'unknown_root', http_status: 404 });
    expect(existsSync(join(base, 'ran'))).toBe(false);
  });

  it('runs nothing in a folder that was swapped for a link', async () => {
    const { run, root, base } = await openRig();
    renameSync(root, `${root}-moved`);
    mkdirSync(join(base, 'elsewhere'));
    symlinkSync(join(base, 'elsewhere'), root);
    expect(failureIn(await run('touch ran')).code).toBe('unknown_root');
    expect(existsSync(join(base, 'elsewhere', 'ran'))).toBe(false);
  });

  it('runs in the folder that was checked, though it is swapped right after', async () => {
    const { run, root, base } = await openRig({
      workspace: (real) => ({
        root: real.root,
        folder: (which, path) => {
          const folder = real.folder(which, path);
          renameSync(which.path, `${which.path}-moved`);
          symlinkSync('elsewhere', which.path);
          return folder;
        },
      }),
    });
    mkdirSync(join(base, 'elsewhere'));
    expect(envelopeIn(await run('touch ran')).success).toBe(true);
    expect(existsSync(join(base, 'elsewhere', 'ran'))).toBe(false);
    expect(existsSync(join(`${root}-moved`, 'ran'))).toBe(true);
  });

  it('uses the shell that the user has', async () => {
    const { run } = await openRig({ env: { SHELL: '/bin/bash' } });
    expect(printedIn(await run('echo $SHELL; [[ a == a ]] && echo "in $0"'))).toBe(
      '/bin/bash\nin /bin/bash\n',
    );
  });

  it('counts lines, with and without a last newline', async () => {
    const { run } = await openRig();
    const { metadata } = envelopeIn(await run("printf 'a\\nb'; printf 'x\\ny\\nz\\n' >&2"));
    expect(metadata).toMatchObject({ stdout_lines: 2, stderr_lines: 3, exit_code: 0 });
  });

  it('says so when a command prints nothing', async () => {
    const { run } = await openRig();
    const { output, success, metadata } = envelopeIn(await run('true'));
    expect({ output, success, ...metadata }).toMatchObject({
      output: 'Command output:\n',
      success: true,
      stdout_lines: 0,
      stderr_lines: 0,
    });
  });

  it('shows both streams, what was asked for first', async () => {
    const { run } = await openRig();
    expect(envelopeIn(await run('echo out; echo err >&2')).output).toBe(
      'Command output:\nout\nStandard error:\nerr\n',
    );
    expect(envelopeIn(await run('echo out; echo err >&2; exit 1')).output).toBe(
      'Error: Command failed with exit code 1:\nerr\nStandard output:\nout\n',
    );
  });

  it.each([
    ['exit 3', 3],
    ['kill -KILL $$', 137],
    ['kill -TERM $$', 143],
    ['nothing_of_that_name && true', 127],
    [`sh -c 'nothing_of_that_name'`, 127],
    ['command nothing_of_that_name', 127],
  ])('reports how it ended: %s', async (command, code) => {
    const { run } = await openRig();
    const { success, output, metadata } = envelopeIn(await run(command));
    expect(success).toBe(false);
    expect(metadata).toMatchObject({ exit_code: code, timed_out: false });
    expect(output).toContain(`Error: Command failed with exit code ${code}:\n`);
  });

  it('names a program that is not there', async () => {
    const { run } = await openRig();
    expect(failureIn(await run('invalid_cmd --help'))).toMatchObject({
      code: 'command_not_found',
      http_status: 404,
      message: "Command 'invalid_cmd' not found.",
    });
  });

  it('does not take a program that ran and answered 127 for one that is not there', async () => {
    const { run, root } = await openRig();
    writeFileSync(join(root, 'tool'), '#!/bin/sh\necho did >done\nexit 127\n', { mode: 0o755 });
    const { metadata } = envelopeIn(await run('./tool'));
    expect(metadata).toMatchObject({ exit_code: 127 });
    expect(existsSync(join(root, 'done'))).toBe(true);
  });

  it('stops a command whose time is up, with what it printed so far', async () => {
    const { run } = await openRig();
    const answer = envelopeIn(await run({ command: 'echo first; sleep 60; echo never', timeout_seconds: 1 }));
    expect(answer).toMatchObject({
      success: false,
      output: 'Error: Command timed out after 1 second:\nStandard output:\nfirst\n',
      metadata: { exit_code: null, timed_out: true },
    });
    expect(answer.execution_time_ms).toBeGreaterThanOrEqual(1_000);
    expect(answer.execution_time_ms).toBeLessThan(SOON_MS);
  });

  it.each([
    ['empty', { command: '' }],
    ['blank', { command: ' \n\t' }],
    ['with a NUL', { command: 'echo a\0; echo b' }],
    ['too long', { command: `:${' '.repeat(32_768)}` }],
    ['missing', {}],
    ['a list', { command: ['ls'] }],
    ['no time', { command: 'ls', timeout_seconds: 0 }],
    ['too much time', { command: 'ls', timeout_seconds: 301 }],
    ['half a second', { command: 'ls', timeout_seconds: 1.5 }],
    ['a shell of its own choice', { command: 'ls', shell: '/bin/zsh' }],
  ])('refuses arguments that do not fit: %s', async (_, args) => {
    const { run } = await openRig();
    expect(failureIn(await run(args)).code).toBe('invalid_input');
  });

  it('takes the longest command and the shortest and longest time', async () => {
    const { run } = await openRig();
    expect(envelopeIn(await run({ command: `:${' '.repeat(32_767)}` })).success).toBe(true);
    for (const timeout_seconds of [1, 300]) {
      expect(envelopeIn(await run({ command: 'true', timeout_seconds })).success).toBe(true);
    }
  });

  it.each([
    ['asks on standard input', 'read -r answer; echo "code $?, answer $answer"', 'code 1, answer \n'],
    ['wants a terminal', 'tty; echo "code $?"', 'not a tty\ncode 1\n'],
    ['opens the terminal itself', '(: </dev/tty) 2>/dev/null || echo none', 'none\n'],
    ['waits for input', 'cat; echo done', 'done\n'],
  ])('gives no input to a program that %s', async (_, command, printed) => {
    const { run } = await openRig();
    expect(printedIn(await run({ command, timeout_seconds: 5 }))).toBe(printed);
  });

  it('keeps text of every language, and shows bytes that are none', async () => {
    const { run } = await openRig();
    expect(printedIn(await run("printf 'žluťoučký 漢字 👩‍👩‍👧\\n'; printf 'a\\377b\\n'"))).toBe(
      'žluťoučký 漢字 👩‍👩‍👧\na\ufffdb\n',
    );
  });

  it('takes quotes, newlines and heredocs as the shell does', async () => {
    const { run } = await openRig();
    expect(printedIn(await run(`cat <<'END'\n$HOME "it's"\nEND\necho 'a b'`))).toBe('$HOME "it\'s"\na b\n');
  });

  it('names the files that were created, changed or removed while the command ran', async () => {
    const { run, root } = await openRig();
    for (const name of ['same', 'changed', 'removed', 'renamed']) writeFileSync(join(root, name), 'old');
    const command = 'mkdir -p a/b empty; echo x > a/b/made; echo new > changed; rm removed; mv renamed moved';
    const { files_affected, metadata } = envelopeIn(await run(command));
    expect(files_affected).toEqual(['a/b/made', 'changed', 'empty', 'moved', 'removed', 'renamed']);
    expect(metadata).not.toHaveProperty('files_not_compared');
    expect(envelopeIn(await run('cat changed')).files_affected).toEqual([]);
  });

  it('tells of output while the command runs, without secrets', async () => {
    const { run, root } = await openRig();
    const heard: string[] = [];
    // The command ends only when the report of its first line has come.
    const progress = ({ message = '' }) => {
      heard.push(message);
      writeFileSync(join(root, 'heard'), '');
    };
    const command = `echo "first ghp_${'a'.repeat(36)}"; until [ -e heard ]; do sleep 0.02; done; echo second`;
    const { output } = envelopeIn(await run({ command, timeout_seconds: 20 }, { progress }));
    expect(heard[0]).toBe('first [redacted:github-token]\n');
    expect(output).toBe('Command output:\nfirst [redacted:github-token]\nsecond\n');
  });

  it('is off when the owner says so', async () => {
    const { run, terminal, root } = await openRig({ settings: { enabled: false } });
    expect(failureIn(await run('touch ran'))).toMatchObject({ code: 'terminal_off', http_status: 503 });
    expect(existsSync(join(root, 'ran'))).toBe(false);
    expect(terminal.status()).toMatchObject({
      on: false,
      reason: 'The setting `terminal.enabled` turns it off.',
    });
  });

  it('reports a shell that cannot be started as a fault of its own', async () => {
    const { run, door } = await openRig({ settings: { shell: '/nowhere/shell' } });
    const result = await run('true');
    // With namespaces it is the inner shell that says so; without, starting fails.
    if (result.kind === 'ok') expect(envelopeIn(result).metadata.exit_code).toBe(127);
    else expect([failureIn(result).code, door.reported.length]).toEqual(['internal_error', 1]);
  });
});
