import { readFileSync } from 'node:fs';
import { closeConnections } from '../bench/support/load.ts';
import { startLinkBridge } from '../test/support/link-bridge.ts';
import { pairTestMachine, startLinkGateway, sendCall } from '../test/support/link-gateway.ts';
import { makeCalls, memoryOf } from '../test/support/link-load.ts';
import { linkTools } from '../test/support/link-tools.ts';
import { send } from '../bench/support/load.ts';
import { request } from 'node:http';
import { execSync } from 'node:child_process';
const { tools } = linkTools();
const { worker } = await startLinkGateway();
const machine = await pairTestMachine(worker, 'leak');
const bridge = await startLinkBridge(machine, worker.url);
const mine = execSync(`pgrep -P ${process.pid} workerd`).toString().trim().split('\n')[0];
const show = (w: string) => console.log(w, readFileSync(`/proc/${mine}/status`, 'utf8').match(/Rss(Anon|File):\s+\d+/g)?.join(' '));
const loop = async (tool: string, n: number, tag: string) => { let i = 0; const one = async () => { while (i < n) { const k = i++; await sendCall(worker, machine, tools, tool, { word: 'w' }, `${tag}_${k}`, (u, b) => send(u, { path: '', headers: {}, body: b })); } }; await Promise.all(Array.from({ length: 8 }, one)); };
show('start');
for (let r = 0; r < 2; r++) {
  const resp: any = await new Promise((d) => { const o = request(`${worker.url}/test-call/${machine.id}`, { method: 'POST' }, d); sendCall(worker, machine, tools, 'echo', { word: 'x', times: 20_000_000 }, `s${r}`, async (_u, b) => { o.end(b); return undefined as never; }); });
  await new Promise((d) => setTimeout(d, 2500)); show('stalled 20MB');
  let l = 0; for await (const c of resp) l += c.length; show(`read ${l}`);
}
for (let r = 0; r < 3; r++) { await loop('echo', 2500, `e${r}`); show('reads 2500'); }
for (let r = 0; r < 3; r++) { await loop('count', 700, `c${r}`); show('effects 700'); }
bridge.child.kill('SIGKILL'); machine.forget(); closeConnections(); await worker.stop();
process.exit(0);
