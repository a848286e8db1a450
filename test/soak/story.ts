import type { CallRecord, Event, Evidence, Told } from './history.ts';

/** All that is known of a call: what its client was told at each sending, and its lines in the ledger. */
export function storyOf(
  { token, tool, attempts }: CallRecord,
  { ledger }: Pick<Evidence, 'ledger'>,
): Event[] {
  const sendings = attempts.map(({ at, until, key, told }) => ({
    at,
    what: `sent under ${key ?? 'no key'}, and after ${((until - at) / 1_000).toFixed(1)} s told: ${inWords(told)}`,
  }));
  const own = ledger.filter(
    (entry) => token !== undefined && entry.tool === tool && entry.args.includes(token),
  );
  // By the gateway's clock, which may have been off.
  const lines = own.map(({ seq, at, id, via, decision, because, outcome, code }) => ({
    at,
    what: `ledger ${seq} (${id}, ${via}): ${decision}, ${because}; ended ${outcome ?? 'never'}${code === null ? '' : ` ${code}`}`,
  }));
  return [...sendings, ...lines];
}

function inWords(told: Told): string {
  if (told.is === 'ok') return 'done';
  return told.is === 'lost'
    ? `nothing (${told.why})`
    : `${told.code}${told.callId ? ` (${told.callId})` : ''}`;
}
