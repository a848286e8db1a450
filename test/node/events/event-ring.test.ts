import { describe, expect, it } from 'vitest';
import { EventRing } from '../../../src/events/event-ring.ts';

function ringAt(start: number, life = 'a') {
  const clock = { now: start };
  return { clock, ring: new EventRing(life, () => clock.now) };
}

describe('the ring of events', () => {
  it('wakes whoever waits with what is published', async () => {
    const { ring } = ringAt(0);
    const { place } = await ring.next(null, 0);
    const waiting = ring.next(place, 60_000);
    ring.publish('one');
    expect(await waiting).toEqual({ events: ['one'], place: 'a:1' });
  });

  it('gives a listener in step everything once', async () => {
    const { ring } = ringAt(0);
    let { place } = await ring.next(null, 0);
    ring.publish('one');
    ring.publish('two');
    const heard = await ring.next(place, 0);
    expect(heard.events).toEqual(['one', 'two']);
    ({ place } = heard);
    expect(await ring.next(place, 0)).toEqual({ events: [], place });
  });

  it('lets a new listener hear the last two seconds and nothing older', async () => {
    const { ring, clock } = ringAt(10_000);
    ring.publish('old');
    clock.now += 1;
    ring.publish('late');
    clock.now = 12_001;
    expect((await ring.next(null, 0)).events).toEqual(['late']);
  });

  it('gives all of this life to a listener of an earlier one', async () => {
    const { ring } = ringAt(0, 'b');
    ring.publish('one');
    expect((await ring.next('a:7', 0)).events).toEqual(['one']);
    expect((await ring.next('b:7', 0)).events).toEqual(['one']);
  });

  it('keeps 256 events for whoever falls behind', async () => {
    const { ring } = ringAt(0);
    for (let n = 0; n < 257; n += 1) ring.publish(String(n));
    const { events, place } = await ring.next('a:0', 0);
    expect([events.length, events[0], events.at(-1), place]).toEqual([256, '1', '256', 'a:257']);
  });
});
