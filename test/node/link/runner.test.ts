import { describe, expect, it } from 'vitest';
import { LINK, type Outcome } from '../../../contracts/link.ts';
import type { Ended, Job } from '../../../local-bridge/agent/link/machine-link.ts';
import { toolRunner } from '../../../local-bridge/agent/link/runner.ts';
import type { Caller, Result } from '../../../src/core/call.ts';
import { sha256 } from '../../../src/core/call-digest.ts';
import type { PreparedCall } from '../../../src/core/prepared-call.ts';
import type { Tool, ToolSet } from '../../../src/core/tools.ts';
import { linkTools } from '../../support/link-tools.ts';
import { prepared } from '../../support/prepared.ts';

const MINI = { id: 'm_mini', name: 'mini' };
const { tools } = linkTools();
const contractOf = (name: string) => {
  const tool = tools.get(name);
  if (!tool) throw new Error(`There is no ${name}.`);
  return tool.contract;
};

/** A call as the gateway sends it, decided about and hashed. */
function jobOf(name: string, input: object, change: Partial<Job> = {}): Job {
  const contract = contractOf(name);
  const { text, digest } = prepared(contract, input, { machine: MINI });
  return { ...{ id: 'call_1', tool: name, principal: 'ada', client: 'tests', text, digest }, ...change };
}

/** Another text under a digest of its own: what a gateway may send that prepares calls otherwise. */
function rehashed(change: (text: string) => string): Partial<Job> {
  const text = change(jobOf('echo', { word: 'a' }).text);
  return { text, digest: sha256(text) };
}

async function run(job: Job, from: ToolSet = tools) {
  const reported: unknown[] = [];
  const runner = toolRunner(from, { machine: MINI.id, report: (error) => reported.push(error) });
  const ended = await new Promise<Ended>((done) => {
    runner.run(job, () => undefined, done);
  });
  return { ok: ended.ok, reported, outcome: JSON.parse(new TextDecoder().decode(ended.bytes)) as Outcome };
}
const failure = (code: string, message: RegExp) => ({
  ok: false,
  outcome: { kind: 'failed', failure: { code, message: expect.stringMatching(message) } },
});
const never = () => Promise.reject(new Error('not this way'));
/** The tools, one of them ending all its calls in the same way. */
const ending = (run: Tool['run']): ToolSet =>
  new Map([['echo', { contract: contractOf('echo'), call: never, run, look: never }]]);

describe('a call that came over the link', () => {
  it('is run as it was decided about, by whom the gateway says', async () => {
    const seen: Caller[] = [];
    const answer = async ({ caller }: PreparedCall): Promise<Result> => {
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
    ['with another argument', { text: '{"word":"b"}' }],
    ['with one more argument', rehashed((text) => text.replace('{"times"', '{"extra":1,"times"'))],
    ['with arguments that the tool does not take', rehashed((text) => text.replace('"a"', '7'))],
    ['in another version of the text', rehashed((text) => text.replace('"version":2', '"version":3'))],
    ['with more in the text', rehashed((text) => text.replace('"version":2', '"version":2,"x":1'))],
    ['by another schema', rehashed((text) => text.replace(/"schemaHash":"./, '"schemaHash":"-'))],
    ['under the digest of another', { digest: '0'.repeat(64) }],
    ['for another tool', { tool: 'count' }],
  ])('is not run %s than was decided about', async (_, change) => {
    const { tools: mine, runs } = linkTools();
    const ended = await run(jobOf('echo', { word: 'a' }, change), mine);
    expect(ended).toMatchObject(failure('approval_mismatch', /reads this call differently/));
    expect(runs.size).toBe(0);
  });

  it('is not run where its arguments mean two things, or nothing', async () => {
    const twice = (text: string) => text.replace('"word":"a"', '"word":"a","word":"b"');
    const half = (text: string) => text.replace('"a"', '"\\ud800"');
    for (const change of [rehashed(twice), rehashed(() => '{'), rehashed(half)])
      expect(await run(jobOf('echo', { word: 'a' }, change))).toMatchObject(
        failure('approval_mismatch', /./),
      );
  });

  it('is not run where it was prepared for another machine', async () => {
    const { tools: mine, runs } = linkTools();
    const other = prepared(contractOf('count'), { word: 'a' }, { machine: { id: 'm_other', name: 'mini' } });
    const ended = await run(jobOf('count', { word: 'a' }, { text: other.text, digest: other.digest }), mine);
    expect(ended).toMatchObject(failure('machine_changed', /have changed since/));
    expect(runs.size).toBe(0);
  });

  it('is not run for a tool that this machine lacks, which counts as one that changes something', async () => {
    expect(await run(jobOf('echo', { word: 'a' }, { tool: 'burn' }))).toMatchObject(
      failure('unknown_tool', /does not run burn/),
    );
    const runner = toolRunner(tools, { machine: MINI.id, report: () => undefined });
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
    const waiting = ending(async ({ caller: { signal } }) => {
      signal?.addEventListener('abort', () => resolve(String(signal.reason)));
      return { kind: 'ok', output: { text: await stopped } };
    });
    const ended = Promise.withResolvers<Ended>();
    const runner = toolRunner(waiting, { machine: MINI.id, report: () => undefined });
    const stop = runner.run(jobOf('echo', { word: 'a' }), () => undefined, ended.resolve);
    stop();
    expect(await stopped).toContain('The caller cancelled the call');
    expect((await ended.promise).ok).toBe(true);
  });
});
