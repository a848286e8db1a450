import type { Preview } from '../../contracts/preview.ts';
import { canonicalJson } from '../core/json.ts';
import { plainFact } from '../core/plain-fact.ts';
import type { JoinedRow } from './servers.ts';
import { changesOf } from './tool-changes.ts';

/**
 * Gives what is known of a joined tool. The server is not asked, so only its own description says what a call would
 * do.
 */
export function previewJoined({ server, tool, grade, machine, changedAt, before }: JoinedRow): Preview {
  const runs = machine === null ? `The server ${server}` : `The server ${server} on ${machine}`;
  const facts = [
    ...(changedAt === null
      ? []
      : [
          plainFact(
            `The tool changed on ${new Date(changedAt).toISOString().slice(0, 10)}, after you last looked at it${before ? '. This was it before:' : '; its earlier text is not kept.'}`,
            true,
          ),
          ...(before ? changesOf(before, tool) : []).map((text) => plainFact(text, true)),
        ]),
    grade === null
      ? plainFact('You have not graded this tool as it is now, so it counts as dangerous.', true)
      : plainFact(`You graded the tool as \`${grade}\`, with this description and these arguments.`),
    plainFact(`${runs} says of it: ${JSON.stringify(tool.description)}`),
    plainFact(`Its arguments: ${canonicalJson(tool.inputSchema)}`),
    ...tool.flags.slice(0, 20).map((flag) => plainFact(flag, true)),
  ];
  return { facts, files: null, diff: null, state: null };
}
