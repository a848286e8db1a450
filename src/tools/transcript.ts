import type { transcriptClean } from '../../contracts/transcript.ts';
import type { Handler } from '../core/handler.ts';
import { inTurns } from '../core/steps.ts';
import type { Chat } from '../language/chat.ts';
import { cleaning } from '../transcript/clean.ts';
import { mend } from '../transcript/mend.ts';

interface TranscriptPorts {
  /** Mends punctuation and casing. Without it, only the rules work. */
  readonly chat: Chat | undefined;
}

/** Less than the tool's own time, so that the answer can blame the model. */
const MODEL_TIME_MS = 110_000;

/** Cleans a transcript by rules, and by the owner's model if there is one and it keeps the words. */
export const cleanTheTranscript: Handler<typeof transcriptClean, TranscriptPorts> = async (
  { text },
  call,
  { chat },
) => {
  const clean = await inTurns(cleaning(text), text.length);
  if (clean === '') return call.fail('nothing_spoken');
  if (!chat) return call.ok({ clean_text: clean }, { meta: { engine: 'rules' } });
  const result = await mend(clean, chat, {
    signal: call.signal,
    deadline: Date.now() + MODEL_TIME_MS,
    progress: (done, total) =>
      call.progress({ progress: done, total, message: `${done} of ${total} parts are mended` }),
  });
  if (result.kind === 'failed') {
    const { code, kind: _, ...detail } = result;
    return call.fail(code, detail);
  }
  const { chunks, refused } = result;
  const engine = refused === chunks ? 'rules' : refused === 0 ? 'model' : 'model and rules';
  return call.ok({ clean_text: result.text }, { meta: { engine, parts: chunks, parts_by_rules: refused } });
};
