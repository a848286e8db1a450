import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { SettingName } from '../../../src/gate/settings.ts';

/** The files in a backup's folder. The manifest is written last: a backup without it is incomplete. */
export const FILES = {
  manifest: 'backup.json',
  log: 'memory/log.jsonl',
  checkpoints: 'memory/checkpoints.json',
  ledger: 'ledger.jsonl',
  rules: 'rules.json',
  settings: 'settings.json',
  machines: 'machines.json',
  servers: 'servers.json',
} as const;

export const manifestShape = z.object({
  format: z.literal(1),
  made_at: z.string(),
  gateway: z.string(),
  version: z.string(),
  memory: z.object({ entries: z.int().min(0), head: z.string() }),
  calls: z.int().min(0),
  /** The SHA-256 of every other file, in hex. */
  files: z.record(z.string(), z.string()),
});

export type Manifest = z.infer<typeof manifestShape>;

export async function sha256Of(folder: string, name: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(join(folder, name))) hash.update(chunk);
  return hash.digest('hex');
}

const draft = {
  tool: z.string(),
  machine: z.string().nullable(),
  effect: z.enum(['allow', 'ask', 'deny']),
  match: z.unknown(),
  expiresAt: z.int(),
  maxUses: z.int().nullable(),
  note: z.string(),
  examples: z.unknown(),
};

/** A rule in the form that creates it. */
export const draftShape = z.object(draft);
/** A rule in the form that the gateway lists. */
export const rulesShape = z.object({
  rules: z.array(
    z.object({ ...draft, id: z.string(), text: z.string(), uses: z.int(), enabled: z.boolean() }),
  ),
});
export type KeptRule = z.infer<typeof rulesShape>['rules'][number];

/**
 * Says for each of the owner's settings whether a backup keeps it: always, only together with secrets, or never, because
 * it belongs to this gateway or its browsers alone.
 */
const KEPT: Record<SettingName, 'always' | 'with secrets' | 'never'> = {
  rates: 'always',
  max_pending: 'always',
  groups_off: 'always',
  instructions: 'always',
  ledger_bytes: 'always',
  webhooks: 'with secrets',
  push: 'never',
  vapid: 'never',
  machine_names: 'never',
  machine_past_names: 'never',
};

export const PLAIN_SETTINGS = settingsKept('always');
export const SECRET_SETTINGS = settingsKept('with secrets');

function settingsKept(when: 'always' | 'with secrets'): string[] {
  return Object.entries(KEPT).flatMap(([name, kept]) => (kept === when ? name : []));
}

export const settingsShape = z.partialRecord(z.enum([...PLAIN_SETTINGS, ...SECRET_SETTINGS]), z.unknown());

export const callShape = z.object({
  seq: z.int(),
  id: z.string(),
  at: z.int(),
  principal: z.string(),
  client: z.string(),
  via: z.string(),
  tool: z.string(),
  machine: z.string().nullable(),
  digest: z.string(),
  args: z.string(),
  decision: z.string(),
  because: z.string(),
  outcome: z.string().nullable(),
  code: z.string().nullable(),
  bytes: z.int().nullable(),
  durationMs: z.int().nullable(),
});
export const ledgerPageShape = z.object({
  entries: z.array(callShape),
  next: z.int().nullable(),
  /** Calls that are in the gateway's archive and cannot be read there. */
  missing: z.array(z.string()).optional(),
});

/** The public data of a machine. */
export const machinesShape = z.object({
  machines: z.array(z.looseObject({ id: z.string(), name: z.string() })),
});

/** Joined servers and the grades of their tools. The owner has to join them again. */
export const serversShape = z.object({
  servers: z.array(
    z.object({
      name: z.string(),
      url: z.string().nullable(),
      machine: z.string().nullable(),
      tools: z.array(z.object({ name: z.string(), grade: z.string().nullable() })),
    }),
  ),
});
