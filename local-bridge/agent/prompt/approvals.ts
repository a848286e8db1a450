import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { errorText } from '../../../src/core/error-text.ts';
import { visible, visibleLine } from '../../../src/core/visible.ts';
import type { OwnerSession } from '../../lib/owner-client.ts';
import { answersTo, approvalQuestion } from './approval-question.ts';
import { asAskedCall } from './approval-shape.ts';
import { decideAt } from './decide-at.ts';
import { type Desk, deskAt } from './desk.ts';
import type { Prompt } from './questions.ts';

const WAIT_SECONDS = 20;
const LONGEST_PAUSE_MS = 30_000;

const feedShape = z.object({
  at: z.int().min(0),
  pending: z.array(z.looseObject({ code: z.string() })),
});

/** Shows what waits for the owner at this terminal, while they are signed in here. */
export async function watchApprovals(
  owner: Pick<OwnerSession, 'call'>,
  prompt: Pick<Prompt, 'put' | 'withdraw' | 'has' | 'say'>,
  signal: AbortSignal,
): Promise<void> {
  const desk = deskAt(owner, signal);
  let after = 0;
  let pause = 0;
  let trouble = '';
  const shown = new Set<string>();
  while (!signal.aborted) {
    try {
      const path = `feed?after=${after}&wait=${after === 0 ? 0 : WAIT_SECONDS}`;
      const feed = feedShape.parse(await owner.call('GET', path, undefined, signal));
      await show(
        feed.pending.map(({ code }) => code),
        shown,
        desk,
        prompt,
      );
      after = feed.at;
      pause = 0;
      trouble = '';
    } catch (error) {
      if (signal.aborted) return;
      const why = error instanceof z.ZodError ? 'it was not understood' : errorText(error);
      if (why !== trouble) prompt.say(`Approvals cannot be shown here for now: ${visible(why, 300)}`);
      trouble = why;
      pause = Math.min(LONGEST_PAUSE_MS, Math.max(1_000, pause * 2));
      await wait(pause, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function show(
  pending: readonly string[],
  shown: Set<string>,
  desk: Desk,
  prompt: Pick<Prompt, 'put' | 'withdraw' | 'has'>,
): Promise<void> {
  for (const code of shown) {
    if (pending.includes(code)) continue;
    shown.delete(code);
    if (prompt.has(code))
      prompt.withdraw(code, `${visibleLine(code, 20)} was decided elsewhere, or expired.`);
  }
  for (const code of pending) {
    if (shown.has(code)) continue;
    // The list cuts long values. Whoever decides gets all of it, with what came before it.
    const approval = await desk.one(code);
    if (approval.state !== 'pending') continue;
    shown.add(code);
    const asked = asAskedCall(approval);
    prompt.put(
      approvalQuestion(asked, {
        id: code,
        answers: answersTo(asked),
        decide: (answer, note) =>
          decideAt(
            desk,
            code,
            answer,
            note,
            `✓ Approved ${visibleLine(code, 20)}. It runs when its caller asks for it again.`,
          ),
      }),
    );
  }
}
