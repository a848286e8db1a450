import { describe, expect, it } from 'vitest';
import { LINK, type Outcome } from '../../../contracts/link.ts';
import type { Ended, Job } from '../../../local-bridge/link/machine-link.ts';
import { toolRunner } from '../../../local-bridge/link/runner.ts';
import type { Caller, Result } from '../../../src/core/call.ts';
import { canonicalJson } from '../../../src/core/json.ts';
import type { Tool, ToolSet } from '../../../src/core/tools.ts';
import { digestOfCall } from '../../../src/surfaces/digest-of-call.ts';
import { linkTools } from '../../support/link-tools.ts';

const { tools } = linkTools();
const contractOf = (name: string) => {
  const tool = tools.get(name);
  if (!tool) throw new Error(`There is no ${name}.`);
  return tool.contract;
};

/** A call as the gateway sends it, decided about and hashed. */
function jobOf(name: string, input: object, change: Partial<Job> = {}): Job {
  const contract = contractOf(name);
  const parsed = contract.input.parse(input);
  const args = canonicalJson(parsed);
  return {
    ...{ id: 'call_1', tool: name, principal: 'ada', client: 'tests', args },
    digest: digestOfCall(contract, parsed),
    ...change,
  };
}

async function run(job: Job, from: ToolSet = tools) {
  const reported: unknown[] = [];
  const runner = toolRunner(from, { report: (error) => reported.push(error) });
  const ended = await new Promise<Ended>((done) => {
    runner.run(job, () => undefined, done);
  });
  return { ok: ended.ok, reported, outcome: JSON.parse(new TextDecoder().decode(ended.bytes)) as Outcome };
}
const failure = (code: string, message: RegExp) => ({
  ok: false,
  outcome: { kind: 'failed', failure: { code, message: expect.stringMatching(message) } },
});
/** The tools, one of them ending all its calls in the same way. */
const ending = (call: Tool['call']): ToolSet => new Map([['echo', { contract: contractOf('echo'), call }]]);

describe('a call that came over the link', () => {
  it('is run as it was decided about, by whom the gateway says', async () => {
    const seen: Caller[] = [];
    const answer = async (_: unknown, caller: Caller): Promise<Result> => {
      seen.push(caller);
      return { kind: 'ok', output: { text: 'done' } };
    };
    expect(await run(jobOf('echo', { word: 'a' }), ending(answer))).toMatchObject({
      ok: true,
      outcome: { kind: 'ok', output: { text: 'done' } },
    });
    expect(seen).toMatchObject([{ principal: 'ada', client: 'tests', scopes: new Set(['machine']) }]);
  });

  it.each([
    ['with another argument', { args: '{"times":1,"word":"b"}' }],
    ['with one more argument', { args: '{"extra":1,"times":1,"word":"a"}' }],
    ['with arguments that the tool does not take', { args: '{"word":7}' }],
    ['under the digest of another', { digest: '0'.repeat(64) }],
    ['for another tool', { tool: 'count' }],
  ])('is not run %s than was decided about', async (_, change) => {
    const { tools: mine, runs } = linkTools();
    const ended = await run(jobOf('echo', { word: 'a' }, change), mine);
    expect(ended).toMatchObject(failure('approval_mismatch', /reads this call differently/));
    expect(runs.size).toBe(0);
  });

  it('is not run where its arguments mean two things, or nothing', async () => {
    for (const args of ['{"word":"a","word":"b"}', '{', '{"word":"\\ud800"}'])
      expect(await run(jobOf('echo', { word: 'a' }, { args }))).toMatchObject(failure('invalid_input', /./));
  });

  it('is not run for a tool that this machine lacks, which counts as one that changes something', async () => {
    expect(await run(jobOf('echo', { word: 'a' }, { tool: 'burn' }))).toMatchObject(
      failure('unknown_tool', /does not run burn/),
    );
    const runner = toolRunner(tools, { report: () => undefined });
    expect(['burn', 'echo', 'count'].map((name) => runner.isEffect(name))).toEqual([true, false, true]);
  });

  it('ends in a failure, and not in words of ours, when the tool breaks', async () => {
    const broken = ending(() => Promise.reject(new Error('secret path /home/me')));
    const ended = await run(jobOf('echo', { word: 'a' }), broken);
    expect(ended).toMatchObject({ ok: false, outcome: { failure: { code: 'internal_error' } } });
    expect(JSON.stringify(ended.outcome)).not.toContain('secret');
    expect(ended.reported).toMatchObject([{ message: 'secret path /home/me' }]);
  });

  it('cannot ask its caller anything', async () => {
    const asking = ending(async () => ({ kind: 'needs_input' }) as unknown as Result);
    expect(await run(jobOf('echo', { word: 'a' }), asking)).toMatchObject(
      failure('internal_error', /question that the link cannot carry/),
    );
  });

  it('that answers more than the link carries is answered with that', async () => {
    const long = ending(async () => ({ kind: 'ok', output: { text: 'x'.repeat(LINK.result) } }));
    expect(await run(jobOf('echo', { word: 'a' }), long)).toMatchObject(
      failure('malformed_output', /more than the link carries/),
    );
  });

  it('is stopped when nobody wants it any more', async () => {
    const { promise: stopped, resolve } = Promise.withResolvers<string>();
    const waiting = ending(async (_, { signal }) => {
      signal?.addEventListener('abort', () => resolve(String(signal.reason)));
      return { kind: 'ok', output: { text: await stopped } };
    });
    const ended = Promise.withResolvers<Ended>();
    const runner = toolRunner(waiting, { report: () => undefined });
    const stop = runner.run(jobOf('echo', { word: 'a' }), () => undefined, ended.resolve);
    stop();
    expect(await stopped).toContain('does not want it any more');
    expect((await ended.promise).ok).toBe(true);
  });
});
