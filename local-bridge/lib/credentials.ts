import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { CliError } from './exit.ts';
import { bowlineHome } from './home.ts';

// The OAuth library owns the form of its data; here it only has to survive the file.
const credential = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('token'), token: z.string(), id: z.string() }),
  z.object({
    kind: z.literal('oauth'),
    client: z.looseObject({ client_id: z.string() }),
    tokens: z.looseObject({ access_token: z.string(), token_type: z.string() }).optional(),
    /** The end of the access token's validity, in milliseconds. */
    expiresAt: z.number().optional(),
  }),
]);
const fileShape = z.object({ current: z.string().optional(), gateways: z.record(z.string(), credential) });

export type Credential = z.infer<typeof credential>;
type File = z.infer<typeof fileShape>;

/** Gives the gateway of the last `bowline login`. Commands use it unless told otherwise. */
export function currentGateway(): string | undefined {
  return read().current;
}

export function credentialFor(url: string): Credential | undefined {
  return read().gateways[url];
}

export function saveCredential(url: string, saved: Credential): void {
  const file = read();
  write({ current: url, gateways: { ...file.gateways, [url]: saved } });
}

export function forgetCredential(url: string): void {
  const { current, gateways } = read();
  const { [url]: _, ...rest } = gateways;
  write({ ...(current && current !== url ? { current } : {}), gateways: rest });
}

function path(): string {
  return join(bowlineHome(), 'credentials.json');
}

function read(): File {
  let text: string;
  try {
    text = readFileSync(path(), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { gateways: {} };
    throw error;
  }
  const parsed = fileShape.safeParse(jsonOrNothing(text));
  if (parsed.success) return parsed.data;
  throw new CliError(`${path()} is damaged.`, 'Move it away and sign in again with `bowline login`.');
}

function write(file: File): void {
  mkdirSync(bowlineHome(), { recursive: true, mode: 0o700 });
  const temporary = `${path()}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, path());
}

function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
