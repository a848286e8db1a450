import * as z from 'zod';
import { GROUPS } from '../../contracts/contract.ts';
import type { Sql } from '../storage/sql.ts';

const ntfy = z.strictObject({
  /** A topic's address at an ntfy server, or any address that takes a POST of plain text. */
  url: z.url({ protocol: /^https?$/ }).max(500),
  /** The token of a protected topic. */
  token: z.string().max(500).optional(),
});

const push = z.strictObject({
  endpoint: z.url({ protocol: /^https$/ }).max(1_000),
  keys: z.strictObject({ p256dh: z.string().max(200), auth: z.string().max(100) }),
});

/** The owner's settings of the gate, by name. */
export const settingShapes = {
  /** Calls a minute by wire name, instead of the contract's number. */
  rates: z.record(z.string().max(64), z.int().min(0).max(1_000_000)),
  /** The most approvals that may wait at once, of all principals together. */
  max_pending: z.int().min(1).max(1_000),
  /** Groups of tools that are neither listed nor run. */
  groups_off: z.array(z.enum(GROUPS)).max(GROUPS.length),
  /** The owner's own instructions, which every client passes on to its model. */
  instructions: z.string().max(500),
  /** The most bytes that the gate's database may hold before old calls move to the archive. */
  ledger_bytes: z.int().min(100_000).max(8_000_000_000),
  /** The channels for news of an approval, besides the console. */
  webhooks: z.array(ntfy).max(10),
  /** Browsers that subscribed to pushes. */
  push: z.array(push).max(20),
  /** The key pair that signs pushes, made on first use. */
  vapid: z.strictObject({ publicKey: z.string(), privateKey: z.string() }),
  /** The names of renamed machines, by id. */
  machine_names: z.record(z.string(), z.string()),
  /** The earlier names of machines, by id, oldest first, each with the time at which it ended. */
  machine_past_names: z.record(z.string(), z.array(z.strictObject({ name: z.string(), until: z.number() }))),
} as const;

export type Settings = { [Name in keyof typeof settingShapes]: z.output<(typeof settingShapes)[Name]> };
export type SettingName = keyof Settings;

/** A tenth of what a Durable Object's database can hold: more than a million calls. */
const DEFAULT_LEDGER_BYTES = 1_000_000_000;

const defaults: { [Name in SettingName]: Settings[Name] | undefined } = {
  rates: {},
  max_pending: 20,
  groups_off: [],
  instructions: '',
  ledger_bytes: DEFAULT_LEDGER_BYTES,
  webhooks: [],
  push: [],
  vapid: undefined,
  machine_names: undefined,
  machine_past_names: undefined,
};

/** Gives a setting as the owner left it, or its default. */
export function readSetting<Name extends SettingName>(sql: Sql, name: Name): (typeof defaults)[Name] {
  const row = sql.exec<{ body: string }>('SELECT body FROM setting WHERE name = ?', name).toArray()[0];
  if (!row) return defaults[name];
  // The same shape, or an older one of the same name, checked the stored value when it was written.
  return settingShapes[name].parse(JSON.parse(row.body)) as Settings[Name];
}

export function writeSetting<Name extends SettingName>(sql: Sql, name: Name, value: Settings[Name]): void {
  sql.exec(
    'INSERT INTO setting VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET body = excluded.body',
    name,
    JSON.stringify(value),
  );
}

/** The settings that the gate needs for each call. */
export function standingSettings(sql: Sql) {
  return {
    rates: readSetting(sql, 'rates') ?? {},
    maxPending: readSetting(sql, 'max_pending') ?? 20,
    groupsOff: new Set(readSetting(sql, 'groups_off')),
    /** The size of the database above which old calls move out. */
    maxBytes: readSetting(sql, 'ledger_bytes') ?? DEFAULT_LEDGER_BYTES,
  };
}
