import { describe, expect, it } from 'vitest';
import { type BrokenGateway, doctorBench, failure, on, silent } from '../../support/doctor-bench.ts';
import { MIRROR, STORAGE } from '../../support/doctor-gateway.ts';

const bench = doctorBench();

const set: BrokenGateway[] = [
  [
    'R2 missing',
    {
      health: {
        storage: STORAGE.map((one) => (one.name === 'BLOBS' ? { ...one, ok: false, why: 'no' } : one)),
      },
    },
    'Gateway › R2',
    /Turn R2 on/,
  ],
  [
    'KV missing',
    { health: { storage: STORAGE.map((one) => (one.name === 'OAUTH_KV' ? { ...one, ok: false } : one)) } },
    'Gateway › KV',
    /bowline deploy/,
  ],
  [
    'the memory locked',
    { health: { memory: { value: { seq: 3, checkpoint: 0, locked: 'A trigger is missing.' } } } },
    'Gateway › memory',
    /memory verify/,
  ],
  [
    'a webhook without a secret',
    { health: { settings: { owner_key: true, memory_key: true, github: { repo: 'a/b', secret: false } } } },
    'Gateway › GitHub webhook',
    /--github a\/b/,
  ],
  [
    'no memory key',
    { health: { settings: { owner_key: true, memory_key: false, github: null } } },
    'Gateway › memory key',
    /bowline deploy/,
  ],
  [
    'a mirror that GitHub does not let in',
    { health: { mirror: { value: { ...MIRROR, problem: 'GitHub answered 404' } } } },
    'Gateway › repo mirror',
    /GITHUB_TOKEN/,
  ],
  [
    'a mirror of two months ago',
    { health: { mirror: { value: { ...MIRROR, pushedAt: Date.now() - 60 * 86_400_000 } } } },
    'Gateway › repo mirror',
    /mirror push/,
  ],
  [
    'an empty mirror',
    { health: { mirror: { value: { ...MIRROR, commit: null } } } },
    'Gateway › repo mirror',
    /mirror push/,
  ],
  [
    'a joined server whose tools do not conform',
    { servers: [{ name: 'notes', problem: null, leftOut: [{ name: 'add', reasons: ['no schema'] }] }] },
    'Gateway › server notes',
    /Servers/,
  ],
  [
    'a joined server out of reach',
    { servers: [{ name: 'notes', problem: 'It does not answer.', leftOut: [] }] },
    'Gateway › server notes',
    /Servers page/,
  ],
  [
    'a gateway too old to report',
    on('/api/owner/health', () => ({ status: 404 })),
    'Gateway › health report',
    /Upgrade/,
  ],
  ['a bridge that is offline', { machine: { online: false } }, 'Machines › mini online', /service status/],
  ['an old bridge', { machine: { version: '0.0.1' } }, 'Machines › mini version', /Upgrade/],
  [
    'a bridge that does not answer a ping',
    on('/api/owner/machines/m_1/ping', () => ({
      status: 503,
      body: {
        code: 'machine_offline',
        http_status: 503,
        message: 'The machine does not answer.',
        suggestion: '',
      },
    })),
    'Machines › mini ping',
    /Start it again/,
  ],
  [
    'a bridge that is online with its tools dead',
    on('/tools/list_dir', () => silent),
    'Machines › mini tools',
    /Start it again/,
    { budgetMs: 400 },
  ],
  [
    'a machine whose folder is gone',
    on('/tools/list_dir', () => ({
      status: 404,
      body: {
        code: 'unknown_root',
        message: 'There is no such folder.',
        suggestion: 'Open one in bridge.json.',
      },
    })),
    'Machines › mini tools',
    /bridge\.json/,
  ],
];

describe('doctor, at a gateway or a machine that is broken inside', () => {
  it.each(set)('finds %s', (...broken) => bench.finds(broken));

  it('takes the only machine being offline for a failure', async () => {
    expect(failure(await bench.look({ machine: { online: false } }))).toMatchObject({ check: 'mini online' });
  });

  it('lets a machine sleep while another answers', async () => {
    const machine = { id: 'm_1', name: 'mini', online: true, since: null, tools: [], version: null };
    const machines = { value: [machine, { ...machine, id: 'm_2', name: 'studio', online: false }] };
    const findings = await bench.look({ health: { machines } });
    expect(failure(findings)).toBeUndefined();
    expect(findings.find(({ check }) => check === 'studio online')?.state).toBe('warning');
  });
});
