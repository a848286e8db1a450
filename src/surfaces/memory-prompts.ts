import { prompt } from './mcp-offers.ts';

const text = (words: string) => [{ role: 'user' as const, content: { type: 'text' as const, text: words } }];

/** Prompts that a person picks at their client to use the memory. */
export const memoryPrompts = [
  prompt({
    name: 'log_progress',
    title: 'Log progress',
    description: 'Writes what was done to the progress log.',
    arguments: { done: { description: 'What was done, in a sentence.', required: true } },
    messages: ({ done }) =>
      text(
        `Write an entry to progress_log.jsonl with write_memory_entry: the time now as \`timestamp\`, \`type\` "progress", and this in a short \`note\`: ${done}\nThe owner is asked to approve it; tell them its code if they are.`,
      ),
  }),
  prompt({
    name: 'record_decision',
    title: 'Record a decision',
    description: 'Writes a decision, with its reasons, to the decision log.',
    arguments: {
      decision: { description: 'What was decided.', required: true },
      why: { description: 'Why, and what else was thought of.' },
    },
    messages: ({ decision, why }) =>
      text(
        `Write an entry to decisions.jsonl with write_memory_entry: the time now as \`timestamp\`, \`type\` "decision", \`decision\`: ${decision}${why ? `, \`why\`: ${why}` : ''}\nIf the reasons are missing, ask me for them first.`,
      ),
  }),
  prompt({
    name: 'review_week',
    title: 'Review the week',
    description: 'Reads the memory and looks back on the last seven days.',
    messages: () =>
      text(
        'Read memory://progress_log.jsonl and memory://decisions.jsonl. Look at the entries of the last seven days only. Tell me what was done, what was decided and what was left open, each with the lines it is from. Then suggest one line for best_practices.md, and write it only if I say so.',
      ),
  }),
];
