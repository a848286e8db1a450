import type { ServerEvent } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { EventRing } from '../../../src/events/event-ring.ts';
import { eventsBus } from '../../../src/events/events-bus.ts';
import { SOON_MS } from '../../support/soon.ts';

const changed = (uri: string): ServerEvent => ({ kind: 'resource_updated', uri });

afterEach(() => {
  vi.useRealTimers();
});

/** The bus of one isolate, at an object that can be made to fail. */
function openBus(ring = new EventRing('a', Date.now), told = new Set<() => void>()) {
  const late: Promise<unknown>[] = [];
  const reported: [unknown, string][] = [];
  let failures = 0;
  const failing = () => {
    if (failures === 0) return false;
    failures -= 1;
    return true;
  };
  const bus = eventsBus({
    publish: async (event) => {
      if (failing()) throw new Error('the object cannot be reached');
      ring.publish(event);
      for (const tell of told) tell();
    },
    listen: async (after) => {
      if (failing()) throw new Error('the object cannot be reached');
      let place = after;
      let news = Promise.withResolvers<void>();
      let isOver = false;
      const tell = () => news.resolve();
      told.add(tell);
      return {
        next: async () => {
          for (let is1st = place === after; !isOver; is1st = false) {
            const heard = ring.since(place);
            place = heard.place;
            if (heard.events.length > 0 || is1st) return JSON.stringify(heard);
            await news.promise;
            news = Promise.withResolvers();
          }
          return undefined;
        },
        close: () => {
          isOver = true;
          told.delete(tell);
          tell();
        },
      };
    },
    later: (work) => late.push(work),
    report: (error, where) => reported.push([error, where]),
  });
  return {
    bus,
    reported,
    sent: () => Promise.all(late),
    fail: (times: number) => {
      failures = times;
    },
  };
}

describe('the bus of events', () => {
  it('carries events to every listener in order, in this isolate and in others', async () => {
    const ring = new EventRing('a', Date.now);
    const told = new Set<() => void>();
    const [here, there] = [openBus(ring, told), openBus(ring, told)];
    const heard: string[][] = [[], []];
    const leave = [here, there].map(({ bus }, at) =>
      bus.subscribe((event) => heard[at]?.push('uri' in event ? event.uri : event.kind)),
    );
    here.bus.publish(changed('memory://a'));
    there.bus.publish({ kind: 'tools_list_changed' });
    await vi.waitFor(() => expect(heard.map(({ length }) => length)).toEqual([2, 2]), { timeout: SOON_MS });
    expect(heard).toEqual([
      ['memory://a', 'tools_list_changed'],
      ['memory://a', 'tools_list_changed'],
    ]);
    for (const close of leave) close();
    here.bus.publish(changed('memory://b'));
    await here.sent();
    expect(heard[0]).toHaveLength(2);
  });

  it('tells a listener nothing more once it has left, in the middle of what was heard too', async () => {
    const { bus, sent } = openBus();
    const heard: unknown[] = [];
    bus.publish(changed('memory://a'));
    bus.publish(changed('memory://b'));
    await sent();
    const leave = bus.subscribe((event) => {
      heard.push(event);
      leave();
    });
    await vi.waitFor(() => expect(heard).toHaveLength(1), { timeout: SOON_MS });
    bus.publish(changed('memory://c'));
    await sent();
    expect(heard).toEqual([changed('memory://a')]);
  });

  it('reports an event that could not be sent, and troubles nobody with it', async () => {
    const { bus, sent, reported, fail } = openBus();
    fail(1);
    bus.publish(changed('memory://a'));
    await sent();
    expect(reported).toMatchObject([[{ message: 'the object cannot be reached' }, 'events']]);
  });

  it('asks an object that failed again after a second, and no sooner', async () => {
    vi.useFakeTimers();
    const { bus, reported, fail } = openBus();
    const heard: unknown[] = [];
    fail(1);
    const leave = bus.subscribe((event) => heard.push(event));
    await vi.advanceTimersByTimeAsync(999);
    bus.publish(changed('memory://a'));
    await vi.advanceTimersByTimeAsync(0);
    expect([heard, reported.length]).toEqual([[], 1]);
    await vi.advanceTimersByTimeAsync(1);
    expect(heard).toEqual([changed('memory://a')]);
    leave();
    bus.publish(changed('memory://b'));
    await vi.advanceTimersByTimeAsync(0);
    expect(heard).toHaveLength(1);
  });
});
