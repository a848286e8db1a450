import type { AnyContract } from '../../contracts/contract.ts';
import type { Success, TextForm } from './call.ts';
import { isRecord } from './is-record.ts';

/**
 * Finds how a model reads an output. As JSON, long texts would cost it a tenth more: each line end, quote and tab has two
 * characters there. `undefined` where a client wants JSON and nothing else.
 */
export function textFormOf(contract: AnyContract, { output, texts }: Success): TextForm | undefined {
  if (contract.isJsonText) return undefined;
  const saidTwice = new Set(contract.saidTwice);
  // What the strings of a joined server mean, only its own client knows.
  if (contract.rawOutput) return { texts: [], saidTwice };
  const isEnvelope = isRecord(output) && typeof output.output === 'string' && isRecord(output.metadata);
  return { texts: texts ?? contract.cut?.fields ?? (isEnvelope ? ['output'] : []), saidTwice };
}

/**
 * Writes an output as text: in one line, as JSON, what else is to be known of it, then its long texts as they are. They come
 * last, so that nothing in them can pass for what Bowline says; where others wrote them, the line of facts never fails.
 */
export function readable(output: Record<string, unknown>, form: TextForm, isOthers: boolean): string {
  const facts = JSON.stringify(factsOf(output, form.texts, form.saidTwice));
  const found = form.texts.flatMap((path) => {
    const text = valueAt(output, path);
    return typeof text === 'string' ? [{ path, text }] : [];
  });
  const [only, ...more] = found;
  const said =
    only && more.length === 0 ? only.text : found.map(({ path, text }) => `${path}:\n${text}`).join('\n');
  return facts === '{}' && !isOthers ? said : `${facts}\n${said}`;
}

/** Facts that only people and programs ask for, or that the text begins with. */
const FOR_OTHERS = new Set(['success', 'execution_time_ms', 'warning']);

/** Gives what an output says besides its texts, in one level. What is false, empty or null goes without saying. */
function factsOf(
  output: Record<string, unknown>,
  texts: readonly string[],
  saidTwice: ReadonlySet<string>,
): Record<string, unknown> {
  const { metadata, result, ...facts } = output;
  const inner = (value: unknown, under: string) => {
    const below = texts.flatMap((path) => (path.startsWith(under) ? [path.slice(under.length)] : []));
    return isRecord(value) ? factsOf(value, below, saidTwice) : {};
  };
  const own = Object.entries(facts).filter(
    ([name, value]) =>
      !texts.includes(name) && !FOR_OTHERS.has(name) && !saidTwice.has(name) && !isDull(value),
  );
  return { ...Object.fromEntries(own), ...inner(metadata, 'metadata.'), ...inner(result, 'result.') };
}

function isDull(value: unknown): boolean {
  return (
    value === null || value === undefined || value === false || (Array.isArray(value) && value.length === 0)
  );
}

function valueAt(output: Record<string, unknown>, path: string): unknown {
  let value: unknown = output;
  for (const key of path.split('.')) value = isRecord(value) ? value[key] : undefined;
  return value;
}
