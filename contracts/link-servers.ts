import * as z from 'zod';

/**
 * The most that a machine may say about its joined servers, in characters of JSON. It has to fit into the
 * machine's greeting.
 */
export const MAX_ANNOUNCED_CHARS = 160_000;

const reasons = z.array(z.string().max(400)).max(10);

/** The servers that a machine has joined, as the machine tells the gateway. */
export const announcedServers = z
  .array(
    z.strictObject({
      name: z.string().max(64),
      /** Tools as their server describes them. The gateway checks them again before it lists them. */
      tools: z.array(z.record(z.string(), z.unknown())).max(128),
      left_out: z.array(z.strictObject({ name: z.string().max(100), reasons })).max(128),
    }),
  )
  .max(16)
  .refine((servers) => JSON.stringify(servers).length <= MAX_ANNOUNCED_CHARS);
export type AnnouncedServers = z.infer<typeof announcedServers>;
