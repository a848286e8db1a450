import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHtml } from '../../../src/web/read/read.ts';
import { PROJECT } from '../../support/up.ts';

const page = readFileSync(join(PROJECT, 'docs', 'reading.md'), 'utf8');
const examples = [
  ...page.matchAll(
    /^## (.+)\n\n(?:At `(.+)`:\n\n)?````html\n([\s\S]*?)\n````\n\n````markdown\n([\s\S]*?)\n````$/gm,
  ),
].map(([, title = '', path = '/2031/page', html = '', markdown = '']) => ({ title, path, html, markdown }));

describe('the pages before and after', () => {
  it('are under every heading, ten of them', () => {
    expect(examples.map(({ title }) => title)).toEqual(
      [...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title),
    );
    expect(examples).toHaveLength(10);
  });

  it.each(examples)('$title', ({ path, html, markdown }) => {
    const source = {
      bytes: new TextEncoder().encode(html),
      contentType: 'text/html; charset=utf-8',
      url: `https://harbour.example${path}`,
    };
    expect(readHtml(source, { format: 'markdown' }).markdown?.text).toBe(markdown);
  });
});
