import { expect, it } from 'vitest';
import { PROTOCOLS } from '../../../contracts/link.ts';
import { GatewayLink } from '../../../src/machines/gateway-link.ts';
import type { LinkSocket, MachineCall } from '../../../src/machines/link-ports.ts';
import * as machine from '../../../src/machines/machine-row.ts';
import { SimSql } from '../../simulator/sim-sql.ts';

const HOUR_MS = 3_600_000;
const START = 1_800_000_000_000;

/** A machine's connection and its object, which can forget all but its database and its socket. */
function connected() {
  const sql = new SimSql();
  sql.reset();
  machine.enrol(sql, { id: 'm', name: 'mini', publicKey: 'k', origin: 'o' });
  const numbers: number[] = [];
  let [epoch, numbered, told, now] = [0, 0, 0, START];
  const socket: LinkSocket = {
    get epoch() {
      return epoch;
    },
    adopt: (risen) => {
      epoch = risen;
    },
    get numbered() {
      return numbered;
    },
    number: (upTo) => {
      told += 1;
      numbered = upTo;
    },
    send: (frame) => {
      const { type, n } = JSON.parse(String(frame)) as { type: string; n: number };
      if (type === 'call') numbers.push(n);
    },
    close: () => undefined,
  };
  const wake = () =>
    new GatewayLink({
      ...{ sql, transaction: (act) => act(), now: () => now, after: () => () => undefined },
      ...{ sockets: () => (epoch > 0 ? [socket] : []), wakeWithin: () => undefined, report: () => undefined },
    });
  let link = wake();
  const about = { roots: [], tools: [], version: '1' };
  link.join(socket, { protocol: PROTOCOLS[0], journal: 'j', epoch: 0, moved: false, about });
  const call = () => {
    const read: MachineCall = {
      ...{ id: `call_${numbers.length}`, tool: 'read_file', principal: 'ada', client: 'tests' },
      ...{ text: '{}', digest: 'd', effect: false, timeoutMs: 1_000 },
    };
    link.call(read, { answer: () => undefined, progress: () => undefined });
  };
  return {
    ...{ call, numbers, told: () => told },
    setClock: (at: number) => {
      now = at;
    },
    sleep: () => {
      link = wake();
    },
  };
}

it.each([
  ['goes on', 20_000],
  ['is set back a little', -5_000],
  ['is set back by hours', -5 * HOUR_MS],
])('numbers calls upwards on a connection while the clock %s and the object sleeps', (_, by) => {
  const { call, numbers, setClock, sleep } = connected();
  for (let n = 0; n < 3; n++) call();
  for (let turn = 1; turn <= 3; turn++) {
    setClock(START + turn * by);
    sleep();
    for (let n = 0; n < 3; n++) call();
  }
  expect(numbers).toHaveLength(12);
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
});

it('tells the connection of its numbers each ten seconds only', () => {
  const { call, told, setClock } = connected();
  for (let second = 0; second < 10; second++) {
    setClock(START + second * 1_000);
    for (let n = 0; n < 20; n++) call();
  }
  expect(told()).toBe(1);
  setClock(START + 11_000);
  call();
  expect(told()).toBe(2);
});
