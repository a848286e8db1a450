import { DurableObject } from 'cloudflare:workers';
import type { Env } from '../src/wiring/env.ts';
import gateway from '../src/worker.ts';

export * from '../src/worker.ts';

/** The smallest possible link: a request by HTTP goes out on the socket, and what comes back is the answer. */
export class BareLink extends DurableObject {
  readonly #waiting = new Map<number, (answer: string | ArrayBuffer) => void>();
  #last = 0;

  override fetch(request: Request): Response {
    if (request.headers.get('upgrade') !== 'websocket') return new Response(null, { status: 426 });
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  ask(size: number): Promise<string | ArrayBuffer> {
    const { promise, resolve } = Promise.withResolvers<string | ArrayBuffer>();
    const n = ++this.#last;
    this.#waiting.set(n, resolve);
    this.ctx.getWebSockets()[0]?.send(JSON.stringify({ n, size }));
    return promise;
  }

  /** Writes one row, the least that a record before a call can be. */
  record(call: string): void {
    const { sql } = this.ctx.storage;
    sql.exec('CREATE TABLE IF NOT EXISTS recorded (call TEXT)');
    sql.exec('INSERT INTO recorded VALUES (?)', call);
  }

  override webSocketMessage(_: WebSocket, message: string | ArrayBuffer): void {
    if (typeof message === 'string') return;
    const n = new DataView(message).getFloat64(0);
    this.#waiting.get(n)?.(message.slice(8));
    this.#waiting.delete(n);
  }
}

interface BenchEnv extends Env {
  readonly BARE: DurableObjectNamespace<BareLink>;
}

/** The gateway, with a way to pair a machine without its owner, and the bare link beside it under `/bare`. */
export default {
  async fetch(request, env, context) {
    const { pathname } = new URL(request.url);
    const [, what, id = '', rest = ''] = pathname.split('/');
    const machine = env.MACHINE.get(env.MACHINE.idFromName(id));
    const bare = env.BARE.get(env.BARE.idFromName('one'));
    switch (what) {
      case 'bare':
        if (request.headers.get('upgrade')) return bare.fetch(request);
        await request.text();
        return new Response(await bare.ask(Number(id)));
      case 'test-pair': {
        const { name, publicKey, origin }: { name: string; publicKey: string; origin: string } =
          await request.json();
        const owner = env.OWNER.get(env.OWNER.idFromName('owner'));
        const opened = await owner.openEnrolment({ name, publicKey, address: name });
        if (typeof opened === 'string') return new Response(opened, { status: 409 });
        const paired = await owner.confirmEnrolment({ code: opened.enrolment.code, publicKey, name });
        if (typeof paired === 'string') return new Response(paired, { status: 409 });
        const object = env.MACHINE.get(env.MACHINE.idFromName(paired.id));
        await object.enrol({ id: paired.id, name, publicKey, origin });
        return Response.json({ id: paired.id });
      }
      case 'test-origin': {
        // A machine that its owner paired signs for the gateway's own address, which has no port here.
        await machine.enrol(await request.json());
        return new Response(null, { status: 204 });
      }
      case 'recorded-call':
      case 'test-call': {
        if (what === 'recorded-call') await bare.record(id);
        const answer = await machine.call(await request.json());
        if (answer.kind === 'stream') return new Response(answer.stream);
        if (answer.kind === 'result') return new Response(answer.body);
        return Response.json(answer, { status: 409 });
      }
      case 'test-outcome': {
        const kept = await machine.outcome(rest, 'tester');
        if (!kept) return Response.json(null);
        const { stream, ...shown } = kept;
        return Response.json({ ...shown, text: stream && (await new Response(stream).text()) });
      }
      case 'test-machine':
        if (rest === 'revoke') await machine.revoke();
        return Response.json(rest === 'ping' ? await machine.ping() : await machine.status());
    }
    return gateway.fetch(request, env, context);
  },
} satisfies ExportedHandler<BenchEnv>;
