import { describe, expect, it } from 'vitest';
import { terminalLastCommand } from '../../../contracts/terminal.ts';
import { openHistory, REMEMBERED, REMEMBERED_CHARS } from '../../../local-bridge/tools/terminal/history.ts';
import { failureIn } from '../../support/tools.ts';
import { envelopeIn, openRig } from './rig.ts';

describe('terminal_last_command', () => {
  it('gives what its contract shows', async () => {
    const { run, last } = await openRig();
    await run('echo hello');
    const [{ output }] = terminalLastCommand.examples;
    const answer = envelopeIn(await last());
    expect(answer).toEqual({
      ...output,
      execution_time_ms: answer.execution_time_ms,
      metadata: { ...output.metadata, executed_at: '2026-03-04T05:06:07.000Z' },
    });
  });

  it('says that there is none', async () => {
    const { last } = await openRig();
    expect(failureIn(await last())).toMatchObject({
      code: 'no_previous_command',
      http_status: 404,
      message: 'No previous command in this session.',
    });
  });

  it('shows the newest', async () => {
    const { run, last } = await openRig();
    await run('echo one');
    await run('echo two');
    expect(envelopeIn(await last()).output).toBe('Last command: echo two\nOutput: two\n');
  });

  it('shows nobody the commands of somebody else', async () => {
    const { run, last } = await openRig();
    await run('echo mine', { principal: 'one' });
    expect(failureIn(await last({ principal: 'two' })).code).toBe('no_previous_command');
    await run('echo yours', { principal: 'two' });
    expect(envelopeIn(await last({ principal: 'one' })).metadata.command).toBe('echo mine');
    expect(envelopeIn(await last({ principal: 'two' })).metadata.command).toBe('echo yours');
  });

  it.each(['__proto__', 'constructor', 'toString'])(
    'is not fooled by a principal called %s',
    async (principal) => {
      const { run, last } = await openRig();
      await run('true', { principal: 'one' });
      expect(failureIn(await last({ principal })).code).toBe('no_previous_command');
    },
  );

  it('remembers a failure with both streams', async () => {
    const { run, last } = await openRig();
    await run('echo out; echo err >&2; exit 4');
    expect(envelopeIn(await last())).toMatchObject({
      output: 'Last command: echo out; echo err >&2; exit 4\nOutput: out\nerr\n',
      metadata: { exit_code: 4 },
    });
  });

  it('remembers a command that was stopped, without an exit code', async () => {
    const { run, last } = await openRig();
    await run({ command: 'echo before; sleep 60', timeout_seconds: 1 });
    expect(envelopeIn(await last())).toMatchObject({
      output: 'Last command: echo before; sleep 60\nOutput: before\n',
      metadata: { exit_code: null },
    });
  });

  it('remembers a program that was not there', async () => {
    const { run, last } = await openRig();
    await run('invalid_cmd');
    expect(envelopeIn(await last()).metadata).toMatchObject({ command: 'invalid_cmd', exit_code: 127 });
  });

  it('forgets secrets in the command as in its output', async () => {
    const { run, last } = await openRig();
    const token = `ghp_${'x'.repeat(36)}`;
    await run(`echo ${token}`);
    const text = JSON.stringify(envelopeIn(await last()));
    expect(text).not.toContain(token);
    expect(envelopeIn(await last()).metadata.command).toBe('echo [redacted:github-token]');
  });

  it('remembers nothing of a call that did not run', async () => {
    const { run, last } = await openRig();
    await run('');
    await run({ command: 'true', root: 'nowhere' });
    expect(failureIn(await last()).code).toBe('no_previous_command');
  });

  it('takes no arguments but the machine', async () => {
    const { last } = await openRig();
    expect(failureIn(await last({}, { principal: 'one' })).code).toBe('invalid_input');
    expect(failureIn(await last({}, { machine: 'mini' })).code).toBe('no_previous_command');
  });
});

describe('what is remembered', () => {
  const entry = { command: 'x', output: '', exitCode: 0, executedAt: new Date(0) };

  it('is one command for each of the most recent callers', () => {
    const history = openHistory();
    for (let index = 0; index < REMEMBERED; index += 1) history.record(`p${index}`, entry);
    expect(history.last('p0')).toBeDefined();
    // Using it again makes it the most recent.
    history.record('p0', entry);
    history.record('one more', entry);
    expect(history.last('p0')).toBeDefined();
    expect(history.last('p1')).toBeUndefined();
    expect(history.last('one more')).toBeDefined();
  });

  it('is whole up to the limit, and beyond it says what is missing', () => {
    const history = openHistory();
    const output = (length: number) => {
      history.record('p', { ...entry, output: 'a'.repeat(length) });
      return history.last('p')?.output ?? '';
    };
    expect(output(REMEMBERED_CHARS - 1)).toHaveLength(REMEMBERED_CHARS - 1);
    expect(output(REMEMBERED_CHARS)).toHaveLength(REMEMBERED_CHARS);
    expect(output(REMEMBERED_CHARS + 1)).toContain('[… 1 characters left out here …]');
    expect(output(5_000_000).length).toBeLessThan(REMEMBERED_CHARS + 100);
  });
});
