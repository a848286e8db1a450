import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import type { Disk } from '../../../local-bridge/agent/link/disk.ts';
import { Journal } from '../../../local-bridge/agent/link/journal.ts';
import { bridgeSettings, settingsFile } from '../../../local-bridge/agent/policy/settings.ts';
import { serverEntries } from '../../../local-bridge/agent/servers/settings.ts';
import { CliError } from '../../../local-bridge/lib/exit.ts';
import { openRegistry } from '../../../local-bridge/tools/mlx/registry.ts';
import { numberIn } from '../../../local-bridge/tools/mlx/servers.ts';
import { mlxSettings } from '../../../local-bridge/tools/mlx/settings.ts';
import { terminalSettings } from '../../../local-bridge/tools/terminal/read-settings.ts';
import { openUndoJournal } from '../../../local-bridge/tools/undo/journal.ts';
import { kinOf } from '../../../src/gate/rules/rule-kin.ts';
import { mixedJson, texts } from '../inputs.ts';
import { scratchFolder } from '../scratch.ts';
import { type Target, target } from '../target.ts';

let home: string | undefined;

/** A folder with this file in it, the same every time. */
function homeWith(name: string, text: string): string {
  home ??= scratchFolder();
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return home;
}

const SETTINGS = {
  roots: [{ path: '/a', name: 'a' }],
  deny: ['run_in_terminal'],
  ask: ['create_file', 'player__play'],
  terminal: { sandbox: 'auto', network: ['a.example'], environment: ['A'], shell: '/bin/sh', enabled: true },
  mlx: { command: ['mlx'], host: 'studio', ready_seconds: 5, idle_minutes: 0 },
  servers: { player: { command: 'npx', args: ['-y'], env: { A: 'b' }, allow: ['play'] } },
};

const settings = target({
  name: 'settings',
  seeds: [JSON.stringify(SETTINGS), '{}', '{"deny":["red_file"]}'],
  grammar: mixedJson([SETTINGS]),
  words: [
    '"deny":["x"]',
    '"__proto__":{}',
    '"roots":[{"path":""}]',
    'null',
    '"servers":{"A b":{}}',
    '"host":"-oProxyCommand=x"',
    '1e400',
    '//',
    ',',
    '\ufeff',
  ],
  refuses: [CliError],
  parse: (input) => {
    const read = bridgeSettings(homeWith('bridge.json', input));
    return {
      read,
      terminal: terminalSettings(read.terminal),
      mlx: mlxSettings(read.mlx),
      servers: serverEntries(read.servers),
    };
  },
  properties: {
    'settings that are taken say the same when they are written out': ({ read }) => {
      const again = bridgeSettings(homeWith('bridge.json', JSON.stringify(read)));
      assert.deepEqual(JSON.parse(JSON.stringify(again)), JSON.parse(JSON.stringify(read)));
    },
    'no name of a host or a server can pass for an option': ({ mlx, servers }) => {
      assert.ok(!mlx.host?.startsWith('-'));
      for (const name of servers.keys()) assert.match(name, /^[a-z][a-z0-9-]*$/);
    },
    'nothing is left out of what was forbidden': ({ read }, input) => {
      const said = JSON.parse(input) as { deny?: string[]; ask?: string[] };
      for (const [all, named = []] of [
        [read.deny, said.deny],
        [read.ask, said.ask],
      ] as const) {
        assert.deepEqual(
          named.filter((tool) => !all.includes(tool)),
          [],
        );
        const added = all.filter((tool) => !named.includes(tool));
        // A no to a tool is one to every tool that does its work too.
        assert.deepEqual(
          added.filter((tool) => !kinOf(tool).some((plainer) => named.includes(plainer))),
          [],
        );
      }
    },
  },
  refusals: {
    'what is wrong is said of the file': (error) => {
      assert.ok(error.message.includes('cannot be used'), error.message);
      assert.ok(
        error.message.includes(settingsFile(home ?? '')) || /settings|bridge\.json/.test(error.message),
      );
    },
  },
});

/** A disk in memory that begins with this journal. */
function diskWith(text: string): Disk & { text: string } {
  const none = () => new Uint8Array();
  const disk = {
    text,
    place: 'here',
    load: () => disk.text,
    append: (more: string) => {
      disk.text += more;
    },
    sync: () => undefined,
    replace: (other: string) => {
      disk.text = other;
    },
    keep: () => undefined,
    slice: none,
    drop: () => undefined,
    dropOthers: () => undefined,
  };
  return disk;
}

function journalText(): string {
  const disk = diskWith('');
  const journal = new Journal(disk, () => 'first', 'm');
  journal.connected(7);
  journal.start('a');
  journal.finish('a', true, Buffer.from('{"x":"é"}'));
  journal.start('b');
  journal.start('c');
  journal.finish('c', false, Buffer.alloc(20_000, 'x'));
  journal.forget(['c']);
  return disk.text;
}
const JOURNAL = journalText();
const linesIn = (text: string) => text.split('\n').slice(0, -1);

const linkJournal = target({
  name: 'link-journal',
  seeds: [JOURNAL, JOURNAL.slice(0, -5), linesIn(JOURNAL).slice(0, 2).join('\n'), ''],
  grammar: fc
    .tuple(fc.array(fc.constantFrom(...linesIn(JOURNAL)), { maxLength: 8 }), fc.nat(40))
    .map(([lines, end]) => {
      const text = lines.map((line) => `${line}\n`).join('');
      return end > 30 ? text.slice(0, text.length - end) : text;
    }),
  words: linesIn(JOURNAL).map((line) => `${line}\n`),
  parse: (input) => {
    const disk = diskWith(input);
    const journal = new Journal(disk, () => 'other', 'm');
    return { disk, journal };
  },
  properties: {
    'who knows its name knows all that was begun': ({ journal }, input) => {
      if (journal.id !== 'first') return;
      // The last line may have been cut off; all the others were written whole.
      const known = linesIn(JOURNAL);
      for (const line of linesIn(input).slice(0, -1))
        assert.ok(known.includes(`${line.slice(0, 16)} ${line.slice(17)}`), line);
    },
    'opened again, it is the same': ({ journal, disk }) => {
      const again = new Journal(diskWith(disk.text), () => 'third', 'm');
      assert.deepEqual([again.id, again.epoch, again.held()], [journal.id, journal.epoch, journal.held()]);
      for (const call of journal.held()) assert.equal(again.find(call)?.is, journal.find(call)?.is);
    },
    'what is begun next is found next time': ({ journal, disk }) => {
      journal.start('next');
      assert.equal(new Journal(diskWith(disk.text), () => 'third', 'm').find('next')?.is, 'started');
    },
  },
});

const ENTRY = {
  id: 'call-1',
  at: 1_700_000_000_000,
  tool: 'create_file',
  root: { name: 'a', path: '/a' },
  path: 'b.txt',
  kind: 'file',
  before: null,
  after: { sha256: '0'.repeat(64), bytes: 1, mode: 0o644 },
  parents: ['x'],
  temporary: null,
  pid: 1,
};

const undoJournal = target({
  name: 'undo-journal',
  seeds: [
    JSON.stringify(ENTRY),
    JSON.stringify({ ...ENTRY, before: ENTRY.after, temporary: '.bowline-1' }),
    '{',
  ],
  grammar: mixedJson([ENTRY]),
  words: [
    '"at":-1',
    '"id":"../x"',
    '"at":1e300',
    'null',
    '"mode":511',
    '"kind":"directory"',
    '"__proto__":{}',
  ],
  parse: (input) => {
    const folder = join(homeWith('undo/call-1.json', input), 'undo');
    return openUndoJournal(folder, { now: () => ENTRY.at }).list();
  },
  properties: {
    'an entry that is listed is whole, and asking for what was before it finds nothing': (entries) => {
      const journal = openUndoJournal(join(home ?? '', 'undo'), { now: () => ENTRY.at });
      for (const entry of entries) {
        assert.equal(typeof entry.path, 'string');
        assert.equal(journal.contentBefore(entry), undefined);
      }
    },
  },
});

const SERVERS = {
  servers: [
    { id: 'i', host: 'h', port: 8_100, model: 'm', pid: 1, since: 'Mon', startedAt: 1, state: 'ready' },
  ],
};

const mlx = target({
  name: 'mlx-servers',
  seeds: [JSON.stringify(SERVERS), '{"servers":[]}'],
  grammar: fc.oneof(mixedJson([SERVERS]), texts(['1', ' ', '\n', '-', '8100', 'yes', 'e'], 6)),
  words: ['"pid":null', '"port":8101', '"state":"loading"', '-1', '1e400'],
  parse: (input) => {
    const registry = openRegistry(homeWith('mlx/servers.json', input));
    const number = numberIn(input);
    try {
      return { registry, number, servers: registry.all() };
    } catch (error) {
      return { registry, number, why: error instanceof Error ? error.message : '' };
    }
  },
  properties: {
    'a list that is damaged says so, and nothing is started on it': ({ why, registry }) => {
      if (why === undefined) return;
      assert.match(why, /is damaged\. Move it away/);
      assert.throws(() => registry.at('h', 8_100), /damaged/);
    },
    'a server that is dropped is gone, and the others stay': ({ servers, registry }) => {
      const [first] = servers ?? [];
      if (!first) return;
      registry.drop(first.id);
      assert.deepEqual(
        registry.all(),
        servers?.filter(({ id }) => id !== first.id),
      );
    },
    'a number that a script printed is one': ({ number }) => {
      assert.ok(number === undefined || number >= 0);
    },
  },
});

export const files: readonly Target[] = [settings, linkJournal, undoJournal, mlx];
