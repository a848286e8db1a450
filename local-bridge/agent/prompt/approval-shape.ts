import * as z from 'zod';
import type { AskedCall } from './approval-question.ts';

const sentence = z.looseObject({ who: z.string(), does: z.string(), what: z.string(), where: z.string() });

const preview = z.looseObject({
  facts: z.array(z.looseObject({ text: z.string(), unusual: z.boolean() })),
  files: z
    .array(
      z.looseObject({ path: z.string(), change: z.enum(['create', 'change', 'delete', 'create folder']) }),
    )
    .nullable(),
  diff: z.string().nullable(),
  state: z.string().nullable().default(null),
  sandboxed: z.boolean().optional(),
});
const shown = z.union([z.looseObject({ preview }), z.looseObject({ why: z.string() })]);

const tally = z.looseObject({
  times: z.number(),
  ok: z.number(),
  last: z.looseObject({ seq: z.number(), at: z.number(), ended: z.string() }),
});
const before = z.looseObject({
  same: tally.nullable(),
  like: tally.extend({ what: z.string() }).nullable(),
});
/** The widths of "always" that are possible, the narrowest first. */
export const alwaysShape = z.array(
  z.union([
    z.looseObject({
      width: z.string(),
      words: z.string(),
      checked: z.number(),
      passed: z.number(),
      denied: z.number(),
    }),
    z.looseObject({ width: z.string(), problem: z.string() }),
  ]),
);

/**
 * An approval as a gateway of any version sends it. Fields that an older gateway leaves out are not shown.
 */
export const approvalShape = z.looseObject({
  code: z.string(),
  state: z.string(),
  tool: z.string(),
  client: z.string(),
  risk: z.string().default('dangerous'),
  expiresAt: z.number(),
  text: z.string(),
  full: z.string(),
  sentence: sentence.optional(),
  command: z.string().nullable().default(null),
  reason: z.string().nullable().default(null),
  note: z.string().nullable().default(null),
  lends: z.string().nullable().default(null),
  shown: shown.catch({ why: 'The gateway is of another version.' }),
  before: before.nullable().catch(null),
  always: alwaysShape.catch([]),
});

export type ShownApproval = z.output<typeof approvalShape>;

/** Prepares an approval for a question. */
export function asAskedCall(approval: ShownApproval): AskedCall {
  const { command, reason, text, full, shown, tool, client } = approval;
  const { code, expiresAt, state, note, before, always, lends } = approval;
  return {
    ...{ command, reason, text, full, shown },
    sentence: approval.sentence ?? { who: client, does: 'use', what: tool, where: '' },
    approval: { code, expiresAt, state, note, before, always, lends },
  };
}
