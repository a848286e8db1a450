import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { canonicalJson } from '../../../src/core/json.ts';
import { CliError } from '../../lib/exit.ts';
import { counted, type Tell } from '../../lib/long-work.ts';
import type { OwnerSession } from '../../lib/owner-client.ts';
import { entriesIn, exportedCheckpoints } from '../memory/export.ts';
import {
  callShape,
  draftShape,
  FILES,
  type KeptRule,
  machinesShape,
  rulesShape,
  serversShape,
  settingsShape,
} from './format.ts';
import { wholeBackup } from './read.ts';

/** The items in one step, well below what the gateway takes. */
const MAX_ITEMS = 500;
const MAX_CHARS = 4_000_000;

const goingShape = z.object({ seq: z.int() });

export interface Restored {
  readonly entries: number;
  readonly calls: number;
  readonly rules: number;
  /** Rules that were not saved, and why. */
  readonly leftOut: readonly string[];
  /** Rules that allow calls. They stay off until the owner switches them on. */
  readonly switchedOff: readonly string[];
  /** Machines that the owner must pair again. */
  readonly machines: readonly string[];
  /** Servers that the owner must join again. */
  readonly servers: readonly string[];
}

/** Restores a backup into an unused gateway. If it is interrupted, run it again and it continues. */
export async function restoreBackup(
  owner: OwnerSession,
  folder: string,
  { enableRules }: { readonly enableRules: boolean },
  tell?: Tell,
): Promise<Restored> {
  const { memory, signed, calls } = await wholeBackup(folder, tell);
  const step = (body: object) => owner.call('POST', 'restore', body);
  const log = { total: memory.entries, head: memory.head };
  const { seq: there } = goingShape.parse(await step({ do: 'begin', log }));
  for await (const entries of inSteps(
    counted(entriesIn(join(folder, FILES.log)), tell, 'Restoring the memory’s entries', memory.entries),
    ({ seq }) => seq > there,
  ))
    await step({ do: 'take', entries });
  for await (const some of inSteps(
    counted(callsIn(join(folder, FILES.ledger)), tell, 'Restoring calls of the ledger', calls),
  ))
    await step({ do: 'calls', calls: some });
  const settings = settingsShape.parse(jsonIn(folder, FILES.settings));
  for (const [name, value] of Object.entries(settings))
    if (value !== null) await owner.call('PUT', `settings/${name}`, { value });
  const kept = rulesShape.parse(jsonIn(folder, FILES.rules)).rules;
  const rules = await restoreRules(owner, kept, enableRules);
  // Old signatures mean nothing to a gateway with another key. It signs the end of the log anew.
  const isSameKey = signed.key !== null && (await exportedCheckpoints(owner)).key === signed.key;
  await step({ do: 'end', checkpoints: isSameKey ? signed.checkpoints : [] });
  const { machines } = machinesShape.parse(jsonIn(folder, FILES.machines));
  const { servers } = serversShape.parse(jsonIn(folder, FILES.servers));
  const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);
  return { entries: memory.entries, calls, ...rules, machines: names(machines), servers: names(servers) };
}

async function restoreRules(owner: OwnerSession, kept: readonly KeptRule[], enable: boolean) {
  const there = rulesShape.parse(await owner.call('GET', 'rules')).rules;
  const known = new Set(there.map((rule) => canonicalJson(draftShape.parse(rule))));
  const leftOut: string[] = [];
  const switchedOff: string[] = [];
  let rules = 0;
  for (const rule of kept) {
    const left = rule.maxUses === null ? null : rule.maxUses - rule.uses;
    const draft = draftShape.parse({ ...rule, maxUses: left });
    if (rule.expiresAt <= Date.now() || (left !== null && left <= 0)) {
      leftOut.push(`${rule.text} (it has expired)`);
      continue;
    }
    if (known.has(canonicalJson(draft))) continue;
    try {
      const { id } = z.object({ id: z.string() }).parse(await owner.call('POST', 'rules', draft));
      rules += 1;
      // Nothing proves where a backup's rules come from, so one that allows calls waits for the owner.
      const waits = rule.effect === 'allow' && rule.enabled && !enable;
      if (waits) switchedOff.push(rule.text);
      if (waits || !rule.enabled) await owner.call('POST', `rules/${id}`, { enabled: false });
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      leftOut.push(`${rule.text} (${error.message})`);
    }
  }
  return { rules, leftOut, switchedOff };
}

/** Reads the ledger's calls, with numbers below zero so that they come before all calls of the new gateway. */
async function* callsIn(path: string) {
  let newest: number | undefined;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const call = callShape.parse(JSON.parse(line));
    newest ??= call.seq;
    yield { ...call, seq: call.seq - newest - 1 };
  }
}

async function* inSteps<T>(items: AsyncIterable<T>, wanted: (item: T) => boolean = () => true) {
  let some: T[] = [];
  let chars = 0;
  for await (const item of items) {
    if (!wanted(item)) continue;
    const size = JSON.stringify(item).length;
    if (some.length > 0 && (some.length >= MAX_ITEMS || chars + size > MAX_CHARS)) {
      yield some;
      some = [];
      chars = 0;
    }
    some.push(item);
    chars += size;
  }
  if (some.length > 0) yield some;
}

function jsonIn(folder: string, name: string): unknown {
  return JSON.parse(readFileSync(join(folder, name), 'utf8'));
}
