import type { searchWeb as searchContract } from '../../contracts/web.ts';
import type { Handler } from '../core/handler.ts';
import type { WebPorts } from '../web/web-ports.ts';

/** Searches the web with the backend that the owner has set. */
export const searchTheWeb: Handler<typeof searchContract, WebPorts> = async (
  { query, max_results },
  call,
  { webSearch },
) => {
  // A query of only blanks has the length that the schema wants, but says nothing.
  if (query.trim() === '') return call.fail('invalid_query');
  const answer = await webSearch({ query, maxResults: max_results, signal: call.signal });
  if (answer.kind === 'failed') {
    const { code, kind: _, ...detail } = answer;
    return call.fail(code, detail);
  }
  const note = answer.note === undefined ? {} : { meta: { note: answer.note } };
  return call.ok({ results: [...answer.results] }, note);
};
