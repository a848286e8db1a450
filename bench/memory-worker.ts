import { DurableObject } from 'cloudflare:workers';
import type { MemoryLog } from '../src/memory/memory-object.ts';
import { idemOf } from '../src/tools/memory.ts';

export { GateObject, MemoryLog, OwnerObject } from '../src/worker.ts';

/** The least work of an object that keeps a line: one INSERT. */
export class BareLog extends DurableObject {
  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    state.storage.sql.exec('CREATE TABLE IF NOT EXISTS log (id INTEGER PRIMARY KEY, body TEXT NOT NULL)');
  }

  add(body: string): number {
    return this.ctx.storage.sql
      .exec<{ id: number }>('INSERT INTO log (body) VALUES (?) RETURNING id', body)
      .one().id;
  }
}

interface Env {
  readonly MEMORY: DurableObjectNamespace<MemoryLog>;
  readonly BARE: DurableObjectNamespace<BareLog>;
}

const FILE = 'progress_log.jsonl';
const entry = () => {
  const body = JSON.stringify({ id: crypto.randomUUID(), note: 'n'.repeat(150) });
  return { file: FILE, body, idem: idemOf(FILE, body, false) };
};

const FILL_AT_ONCE = 1_000;

/** `/bare/<object>`, `/append/<object>`, `/tail/<object>` and `/fill/<object>/<count>`. */
export default {
  async fetch(request, env) {
    const [, what, name = '', count] = new URL(request.url).pathname.split('/');
    await request.text();
    const memory = env.MEMORY.get(env.MEMORY.idFromName(name));
    if (what === 'bare') {
      return Response.json({ line: await env.BARE.get(env.BARE.idFromName(name)).add(entry().body) });
    }
    if (what === 'append') return Response.json(await memory.append(entry()));
    if (what === 'tail') return Response.json(await memory.lastLines(FILE, 10));
    for (let left = Number(count); left > 0; left -= FILL_AT_ONCE) {
      await memory.appendAll(Array.from({ length: Math.min(left, FILL_AT_ONCE) }, entry));
    }
    return Response.json(await memory.state());
  },
} satisfies ExportedHandler<Env>;
