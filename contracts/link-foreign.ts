import * as z from 'zod';

/** How much a machine may say of the servers it joined, in characters of JSON: it has to fit its greeting. */
export const MAX_FOREIGN_CHARS = 160_000;

const reasons = z.array(z.string().max(400)).max(10);

/** The servers that a machine has joined, as it tells the gateway. */
export const foreignServers = z
  .array(
    z.strictObject({
      name: z.string().max(64),
      /** As their server describes them, looked at again where they are to be listed. */
      tools: z.array(z.record(z.string(), z.unknown())).max(128),
      left_out: z.array(z.strictObject({ name: z.string().max(100), reasons })).max(128),
    }),
  )
  .max(16)
  .refine((servers) => JSON.stringify(servers).length <= MAX_FOREIGN_CHARS);
export type ForeignServers = z.infer<typeof foreignServers>;
