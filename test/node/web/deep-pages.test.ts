import { describe, expect, it } from 'vitest';
import { feedAsText } from '../../../src/web/feed.ts';
import { MAX_FEED_DEPTH, plainText, readXmlFeed } from '../../../src/web/feed-xml.ts';
import { readHtml } from '../../../src/web/read/read.ts';

const entry = '<item><title>First</title></item>';
const html = (body: string) =>
  readHtml({
    bytes: new TextEncoder().encode(`<html><body><p>Words of the page.</p>${body}`),
    contentType: 'text/html',
    url: 'https://page.example.org/',
  });

describe('what is nested without an end', () => {
  it('ends a feed where it grows too deep, keeps what stands before, and says so', () => {
    const feed = readXmlFeed(`<rss><channel>${entry}${'<a>'.repeat(300_000)}${'</b>'.repeat(300_000)}`);
    expect(feed.items.map(({ title }) => title)).toEqual(['First']);
    expect(feedAsText(feed)).toContain('[The feed is nested deeper than is read; its end is missing.]');
  });

  it('leaves a feed whole that is as deep as is read', () => {
    const inside = MAX_FEED_DEPTH - 2;
    const feed = readXmlFeed(
      `<rss><channel>${'<a>'.repeat(inside)}${'</a>'.repeat(inside)}${entry}</channel></rss>`,
    );
    expect(feed.isCut).toBe(false);
    expect(feed.items).toHaveLength(1);
  });

  it('ends the text of an entry there too', () => {
    expect(plainText(`<p>Before</p>${'<b>'.repeat(200)}inside`)).toBe('Before');
  });

  it('does not overflow on a feed that is wide', () => {
    expect(readXmlFeed(`<rss><channel><title>T${'<a/>'.repeat(300_000)}</title></channel></rss>`).title).toBe(
      'T',
    );
  });

  it.each([
    ['closing tags that close nothing', '<div></x>'],
    ['closing tags within attributes', '<div a="</div>">'],
  ])('ends a page that hides its depth behind %s', (_, piece) => {
    const page = html(piece.repeat(100_000));
    expect(page.truncated).toBe(true);
    expect(page.clean_text).toContain('Words of the page.');
  });
});
