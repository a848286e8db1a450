import type { AnyContract, Risk } from '../../../contracts/contract.ts';
import type { Caller } from '../../../src/core/call.ts';
import type { Call } from '../../../src/core/handler.ts';
import { AT_THE_GATEWAY } from '../../../src/core/prepared-call.ts';
import { gateDoor } from '../../../src/gate/gate-door.ts';
import { checkServer } from '../../../src/joined/check-server.ts';
import type { HostGate, HostPorts } from '../../../src/joined/host-ports.ts';
import { joinedTools } from '../../../src/joined/joined-list.ts';
import type { Machines } from '../../../src/machines/reach.ts';
import { mcpOverHttp } from '../../../src/surfaces/mcp-http.ts';
import { rest } from '../../../src/surfaces/rest.ts';
import { callerNamed } from '../../support/gate-tools.ts';
import { JoinedServer } from '../../support/joined-server.ts';
import { gateNamed } from '../gate/rig.ts';
import { GATEWAY } from '../http.ts';

// A check loads these within its own time, which a busy machine takes for the loading alone.
await Promise.all([import('@modelcontextprotocol/client'), import('../../../src/joined/session.ts')]);

let calls = 0;

/** A gateway with no tools of its own and one server joined, behind a gate of its own. */
export async function openHost({ server = new JoinedServer(), name = 'words', token = '' } = {}) {
  const gateName = crypto.randomUUID();
  const stub = () => gateNamed(gateName);
  const gate = () => stub() as unknown as HostGate;
  const published: unknown[] = [];
  const asked: string[] = [];
  const onMachine: [string, string | undefined][] = [];
  const reported: unknown[] = [];
  const late = new Set<Promise<unknown>>();
  const door = gateDoor({
    gate: stub,
    origin: GATEWAY,
    place: (_contract, _input, _caller, onlyOn) =>
      onlyOn === undefined ? AT_THE_GATEWAY : { machine: { id: onlyOn, name: 'mini' }, root: null },
    newCallId: () => `call_${++calls}`,
    later: (work) => void late.add(work),
    announce: async ({ code }) => void asked.push(code),
    report: (error) => void reported.push(error),
  });
  const host: HostPorts = {
    origin: GATEWAY,
    gate,
    fetch: server.fetch,
    machines: {
      call: async ({ wireName }: AnyContract, { prepared }: Call<AnyContract>) => {
        onMachine.push([wireName, prepared.machine?.id]);
        throw new Error('This machine only counts.');
      },
    } as unknown as Machines,
    door,
    events: { publish: (event) => void published.push(event) },
    report: (error) => void reported.push(error),
  };
  await gate().addServer({ name, url: server.url, allow: null });
  if (token) await gate().keepServerSecret(name, JSON.stringify({ kind: 'token', token }));
  const check = () => checkServer({ name, url: server.url, allow: null }, host);
  await check();
  const joined = joinedTools(host);
  const caller: Caller = callerNamed('ada');
  const app = rest({
    tools: new Map(),
    joined,
    callerOf: async () => caller,
    anybody: caller,
    challenges: { unauthorized: () => '', insufficientScope: () => '' },
  });
  const mcp = mcpOverHttp({ tools: new Map(), joined });
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer x' };
    const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, body: await response.json<Record<string, unknown>>() };
  };
  const addRule = (tool: string, effect: 'allow' | 'deny', word: string) =>
    stub().addRule(
      {
        tool,
        machine: null,
        effect,
        match: { kind: 'arguments', fields: { word: { equals: word } } },
        expiresAt: Date.now() + 60_000,
        maxUses: null,
        note: '',
        examples: { must: [JSON.stringify({ word })], mustNot: ['{"word":"other"}'] },
      },
      true,
    );
  const gradeOf = async (of: string, tool: string, grade: Risk | null) => {
    const view = await gate().server(of);
    const hash = view?.tools.find((one) => one.name === tool)?.hash ?? '';
    const graded = await gate().gradeTool({ server: of, tool, hash, grade });
    joined.forget();
    return graded;
  };
  return {
    server,
    gate,
    host,
    joined,
    published,
    asked,
    caller,
    check,
    app,
    get: async (path: string) => (await app.request(path)).json<Record<string, unknown>>(),
    call: (tool: string, args: unknown) => post(`/tools/${tool}`, args),
    rpc: async (method: string, params: object = {}) => {
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const response = await mcp(new Request(`${GATEWAY}/mcp`, { method: 'POST', headers, body }), caller);
      const text = await response.text();
      return JSON.parse(text.startsWith('{') ? text : text.slice(text.indexOf('{')));
    },
    grade: (tool: string, grade: Risk | null) => gradeOf(name, tool, grade),
    gradeOf,
    stub,
    onMachine,
    reported,
    approve: (code: string) => stub().decide(code, 'approve', 'the owner', true),
    approvals: () => stub().approvals(),
    allow: (tool: string, word: string) => addRule(tool, 'allow', word),
    deny: (tool: string, word: string) => addRule(tool, 'deny', word),
    rules: () => stub().rules(),
  };
}
