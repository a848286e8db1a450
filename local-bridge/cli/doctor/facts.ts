import * as z from 'zod';
import type { OwnerSession } from '../../lib/owner-client.ts';
import type { Ask } from './ask.ts';

/** Makes the schema of a part of the gateway's report: a value, or why there is none. */
const part = <T extends z.ZodType>(value: T) => z.union([z.object({ value }), z.object({ why: z.string() })]);

const machineShape = z.looseObject({
  id: z.string().optional(),
  name: z.string(),
  online: z.boolean(),
  /** The owner's API gives milliseconds, the tool a date. */
  since: z.union([z.number(), z.string()]).nullable(),
  tools: z.array(z.string()),
  version: z.string().nullable(),
});
export type MachineFacts = z.infer<typeof machineShape>;

const mirrorShape = z.looseObject({
  commit: z.string().nullable(),
  pushedAt: z.number().nullable(),
  files: z.number(),
  problem: z.string().nullable(),
});
export type MirrorFacts = z.infer<typeof mirrorShape>;

const useShape = z.looseObject({
  calls: z.number(),
  requests: z.number(),
  objects: z.number(),
  rows_read: z.number(),
  rows_written: z.number(),
});
/** The calls of a day, and roughly what they cost. */
export type DayFacts = z.infer<typeof useShape>;

const healthShape = z.looseObject({
  version: z.string(),
  time: z.number(),
  settings: z.looseObject({
    owner_key: z.boolean(),
    memory_key: z.boolean(),
    search: z.string().nullish(),
    github: z.looseObject({ repo: z.string(), secret: z.boolean() }).nullable(),
  }),
  storage: z.array(z.looseObject({ name: z.string(), ok: z.boolean(), why: z.string().optional() })),
  memory: part(z.looseObject({ seq: z.number(), checkpoint: z.number(), locked: z.string().nullable() })),
  mirror: part(mirrorShape),
  machines: part(z.array(machineShape)),
  // A gateway of an older version does not say.
  yesterday: part(useShape).optional(),
});
export type Health = z.infer<typeof healthShape>;

/** Fetches the gateway's report about itself, for its owner. */
export async function healthBy(owner: Pick<OwnerSession, 'call'>): Promise<Health> {
  return healthShape.parse(await owner.call('GET', 'health'));
}

const serversShape = z.looseObject({
  servers: z.array(
    z.looseObject({
      name: z.string(),
      problem: z.string().nullable(),
      leftOut: z.array(z.looseObject({ name: z.string(), reasons: z.array(z.string()) })),
    }),
  ),
});
export type ServerFacts = z.infer<typeof serversShape>['servers'][number];

/** Lists the joined servers, with the tools that are left out and why. */
export async function serversBy(owner: Pick<OwnerSession, 'call'>): Promise<ServerFacts[]> {
  return serversShape.parse(await owner.call('GET', 'servers')).servers;
}

/** Lists the machines with a token alone. Gives nothing if the answer has another form. */
export async function machinesBy(ask: Ask, url: string, token: string): Promise<MachineFacts[] | undefined> {
  const answer = await ask(`${url}/tools/list_machines`, post(token, {}));
  const said = z
    .looseObject({ machines: z.array(machineShape) })
    .safeParse(answer.kind === 'answer' ? answer.json : undefined);
  return said.success ? said.data.machines : undefined;
}

export async function mirrorBy(ask: Ask, url: string, token: string): Promise<MirrorFacts | undefined> {
  const answer = await ask(`${url}/api/mirror`, { headers: { authorization: `Bearer ${token}` } });
  const said = mirrorShape.safeParse(answer.kind === 'answer' ? answer.json : undefined);
  return said.success ? said.data : undefined;
}

/** Makes a tool's call through the REST door. */
export function post(token: string, args: object): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(args),
  };
}
