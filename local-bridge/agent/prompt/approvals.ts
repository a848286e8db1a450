import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { visible } from '../../../src/core/visible.ts';
import type { OwnerSession } from '../../lib/owner-client.ts';
import type { Prompt } from './questions.ts';

const WAIT_SECONDS = 20;
const LONGEST_PAUSE_MS = 30_000;

const feedShape = z.object({
  at: z.int().min(0),
  pending: z.array(
    z.looseObject({ code: z.string(), client: z.string(), text: z.string(), full: z.string() }),
  ),
});
const decidedShape = z.looseObject({ state: z.string(), rule: z.string().optional() });

type Pending = z.infer<typeof feedShape>['pending'][number];

/** Shows what waits for the owner at this terminal, for as long as they are signed in here. */
export async function watchApprovals(
  owner: Pick<OwnerSession, 'call'>,
  prompt: Pick<Prompt, 'put' | 'withdraw' | 'has' | 'say'>,
  signal: AbortSignal,
): Promise<void> {
  let after = 0;
  let pause = 0;
  let trouble = '';
  const shown = new Set<string>();
  while (!signal.aborted) {
    try {
      const path = `feed?after=${after}&wait=${after === 0 ? 0 : WAIT_SECONDS}`;
      const feed = feedShape.parse(await owner.call('GET', path, undefined, signal));
      after = feed.at;
      show(feed.pending, shown, owner, prompt);
      pause = 0;
      trouble = '';
    } catch (error) {
      if (signal.aborted) return;
      const why =
        error instanceof z.ZodError
          ? 'it was not understood'
          : String(error instanceof Error ? error.message : error);
      if (why !== trouble) prompt.say(`Approvals cannot be shown here for now: ${visible(why, 300)}`);
      trouble = why;
      pause = Math.min(LONGEST_PAUSE_MS, Math.max(1_000, pause * 2));
      await wait(pause, undefined, { signal }).catch(() => undefined);
    }
  }
}

function show(
  pending: readonly Pending[],
  shown: Set<string>,
  owner: Pick<OwnerSession, 'call'>,
  prompt: Pick<Prompt, 'put' | 'withdraw' | 'has'>,
): void {
  const codes = new Set(pending.map(({ code }) => code));
  for (const code of shown) {
    if (codes.has(code)) continue;
    shown.delete(code);
    if (prompt.has(code)) prompt.withdraw(code, `${visible(code, 20)} was decided elsewhere, or ran out.`);
  }
  for (const approval of pending) {
    if (shown.has(approval.code)) continue;
    shown.add(approval.code);
    const { code, client, text, full } = approval;
    prompt.put({
      id: code,
      about: `${visible(code, 20)}  asked by ${visible(client, 60).replace(/\s/g, ' ')}`,
      // The gate escapes what strangers wrote; a terminal is too easily fooled to rely on that alone.
      text: visible(text),
      full: visible(full),
      answers: ['approve', 'deny', 'always'],
      decide: async (decision) => {
        const path = `approvals/${encodeURIComponent(code)}`;
        const { rule } = decidedShape.parse(await owner.call('POST', path, { decision }));
        if (decision === 'deny') return `✓ Refused ${code}.`;
        const line = `✓ Approved ${code}; it runs when the call comes back.`;
        return rule ? `${line}\n  Rule: ${visible(rule)}` : line;
      },
    });
  }
}
