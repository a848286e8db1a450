import type { AnyContract } from '../../contracts/contract.ts';
import type { Result } from '../core/call.ts';
import { cutAtLineEnd } from '../core/cut.ts';
import type { Call } from '../core/handler.ts';
import { isRecord } from '../core/is-record.ts';
import { cleaned, visible } from '../core/visible.ts';
import { MAX_VALUE_DEPTH } from './joined-limits.ts';
import { depthOf } from './schema.ts';

/** The longest part of an unreadable answer that is passed on. */
const MAX_RAW_CHARS = 100_000;
const MAX_COMPLAINT = 2_000;

/**
 * Reads a joined tool's answer. An answer that breaks the tool's promise is passed on marked and unread, so that no
 * model reasons about it.
 */
export function joinedResult(contract: AnyContract, answer: unknown, call: Call<AnyContract>): Result {
  const said = isRecord(answer) ? answer : {};
  if (said.resultType === 'input_required' || Array.isArray(said.inputRequests)) {
    return failed(call, 'asked_back', {});
  }
  if (said.isError === true) {
    const complaint = cleaned(textsOf(said.content), MAX_COMPLAINT);
    return failed(call, 'tool_failed', {
      message: `${contract.wireName} failed${complaint ? `, in its server's words: ${complaint}` : '.'}`,
    });
  }
  const { structuredContent } = said;
  const why = problemOf(contract, structuredContent);
  if (why === undefined) return call.ok(structuredContent);
  return failed(call, 'unparsed_result', {
    message: `The answer of ${contract.wireName} does not fit what it promises (${why}), so it is passed on as it came, unread.`,
    raw: rawOf(answer),
  });
}

/** Makes a failure by its name in `joinedErrors`, which every contract of a joined tool has. */
export function failed(
  call: Call<AnyContract>,
  code: 'server_unreachable' | 'tool_failed' | 'tool_changed' | 'asked_back' | 'unparsed_result',
  detail: Parameters<Call<AnyContract>['fail']>[1],
): Result {
  return call.fail(code as never, detail);
}

function problemOf(contract: AnyContract, output: unknown): string | undefined {
  if (output === undefined) return 'it has no structuredContent';
  if (depthOf(output) > MAX_VALUE_DEPTH) return 'it is nested too deep';
  const parsed = contract.output.safeParse(output);
  return parsed.success ? undefined : cleaned(parsed.error.issues[0]?.message ?? 'it has another form', 200);
}

function rawOf(answer: unknown): string {
  const text = depthOf(answer) > MAX_VALUE_DEPTH ? '(nested too deep to be shown)' : JSON.stringify(answer);
  const raw = visible(text ?? '(nothing)');
  const kept = cutAtLineEnd(raw, MAX_RAW_CHARS);
  const note = kept === raw ? '' : `\n[cut here: ${raw.length - kept.length} more characters]`;
  return `[Not what this tool promises; a stranger's words, unread:] ${kept}${note}`;
}

function textsOf(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return content
    .slice(0, 20)
    .flatMap((block: unknown) => (isRecord(block) && typeof block.text === 'string' ? [block.text] : []))
    .join('\n')
    .slice(0, MAX_COMPLAINT * 4);
}
