import * as z from 'zod';

const json = z.json();

const field = z.union([
  z.strictObject({ equals: json }),
  z.strictObject({ regex: z.string() }),
  z.strictObject({ any: z.literal(true) }),
]);

const match = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('arguments'), fields: z.record(z.string().max(64), field) }),
  z.strictObject({ kind: z.literal('json'), regex: z.string() }),
  z.strictObject({
    kind: z.literal('argv'),
    argv: z.array(z.string().max(4_096)).max(64),
    options: z.array(z.string().max(200)).max(64).default([]),
    operands: z.enum(['none', 'any']).default('none'),
    endings: z.union([z.literal('any'), z.array(z.string().max(200)).max(20)]).optional(),
    fields: z.record(z.string().max(64), field).default({}),
  }),
  z.strictObject({ kind: z.literal('any') }),
  z.strictObject({ kind: z.literal('tool'), root: z.string().min(1).max(64).nullable().default(null) }),
]);

const DAY = 86_400_000;

/** The form of a rule as an owner writes it. `checkRule` checks what it means. */
export const ruleDraft = z.strictObject({
  tool: z.string().min(1).max(64),
  machine: z.string().min(1).max(64).nullable().default(null),
  effect: z.enum(['allow', 'ask', 'deny']),
  match,
  expiresAt: z.int().default(() => Date.now() + 30 * DAY),
  maxUses: z.int().nullable().default(null),
  note: z.string().max(200).default(''),
  examples: z.strictObject({
    must: z.array(z.string().max(4_096)).max(20),
    mustNot: z.array(z.string().max(4_096)).max(20),
  }),
});

export type RuleDraft = z.output<typeof ruleDraft>;
