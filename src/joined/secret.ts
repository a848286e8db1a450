import * as z from 'zod';

const oauth = z.object({
  kind: z.literal('oauth'),
  /** The gateway's registration at the server's sign-in. */
  client: z.record(z.string(), z.unknown()).optional(),
  tokens: z.record(z.string(), z.unknown()).optional(),
  /** A sign-in that the owner has begun: what its answer must carry, and until when. */
  begun: z
    .object({
      state: z.string(),
      verifier: z.string(),
      until: z.number(),
      /** The sign-in service. An answer goes to no other. */
      discovery: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
});
const token = z.object({ kind: z.literal('token'), token: z.string() });

const shape = z.discriminatedUnion('kind', [token, oauth]);

/** The credential with which the gateway signs in at a joined server. */
export type Secret = z.infer<typeof shape>;
export type OAuthSecret = z.infer<typeof oauth>;

/** Reads the secret that the gate keeps. */
export function secretIn(body: string | null): Secret | undefined {
  return body === null ? undefined : shape.parse(JSON.parse(body));
}
