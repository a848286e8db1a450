import { expect, it } from 'vitest';
import { Readings } from '../../../src/web/readings.ts';

const page = (text: string, html = '') => ({ rendering: { text, sections: [], places: new Map() }, html });

it('keeps no more than 4,000,000 characters of pages, whatever they consist of', () => {
  const readings = new Readings<ReturnType<typeof page>>();
  readings.put('text', page('a'.repeat(1_500_000)));
  readings.put('html', page('a', 'b'.repeat(2_000_000)));
  expect(readings.get('text')).toBeDefined();
  readings.put('more', page('a', 'b'.repeat(1_000_000)));
  expect(readings.get('text')).toBeUndefined();
  expect(readings.get('html')).toBeDefined();
  const places = new Map(Array.from({ length: 200_000 }, (_, i) => [`a place with the number ${i}`, i]));
  readings.put('places', { ...page('a'), rendering: { text: 'a', sections: [], places } });
  expect(readings.get('places')).toBeUndefined();
});
