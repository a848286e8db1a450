import { describe, expect, it } from 'vitest';
import { EventRing } from '../../../src/events/event-ring.ts';

function ringAt(start: number, life = 'a') {
  const clock = { now: start };
  return { clock, ring: new EventRing(life, () => clock.now) };
}

describe('the ring of events', () => {
  it('gives a listener in step everything once', () => {
    const { ring } = ringAt(0);
    let { place } = ring.since(null);
    ring.publish('one');
    ring.publish('two');
    const heard = ring.since(place);
    expect(heard.events).toEqual(['one', 'two']);
    ({ place } = heard);
    expect(ring.since(place)).toEqual({ events: [], place });
  });

  it('lets a new listener hear the last two seconds and nothing older', () => {
    const { ring, clock } = ringAt(10_000);
    ring.publish('old');
    clock.now += 1;
    ring.publish('late');
    clock.now = 12_001;
    expect(ring.since(null).events).toEqual(['late']);
  });

  it('gives all of this life to a listener of an earlier one', () => {
    const { ring } = ringAt(0, 'b');
    ring.publish('one');
    expect(ring.since('a:7').events).toEqual(['one']);
    expect(ring.since('b:7').events).toEqual(['one']);
  });

  it('keeps 256 events for whoever falls behind', () => {
    const { ring } = ringAt(0);
    for (let n = 0; n < 257; n += 1) ring.publish(String(n));
    const { events, place } = ring.since('a:0');
    expect([events.length, events[0], events.at(-1), place]).toEqual([256, '1', '256', 'a:257']);
  });
});
