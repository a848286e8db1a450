import { describe, expect, it } from 'vitest';
import { readHtml } from '../../../../src/web/read/read.ts';
import { tidy } from '../../../../src/web/tidy.ts';

const textOf = (body: string) =>
  readHtml({
    bytes: new TextEncoder().encode(`<!doctype html><html lang="en"><body>${body}</body></html>`),
    contentType: 'text/html; charset=utf-8',
    url: 'https://paper.example/pier',
  }).clean_text;

describe('code between fences', () => {
  it('keeps its empty lines, its indents and its dashes, on the way through both', () => {
    const code = 'def work():\n    haul()\n\n\ndef rest():\n    -\n1.\n-';
    const text = textOf(`<h1>Pier</h1><p>Run this, and wait.</p><pre>${code}</pre><p>Then go.</p>`);
    expect(tidy(text)).toContain(`\`\`\`\n${code}\n\`\`\``);
  });
});

describe('a row of a table', () => {
  it('stays one line', () => {
    const row = (a: string, b: string) => `<tr><td>${a}</td><td>${b}</td></tr>`;
    const text = textOf(`<h1>Pier</h1><table>${row('Year', 'Cost')}${row('First', '40')}</table>`);
    expect(tidy(text)).toContain('Year | Cost\nFirst | 40');
  });
});

describe('other text', () => {
  it('has one empty line where there were several, and no trailing blanks', () => {
    expect(tidy('\n\na  \r\n\r\n \n\nb\n')).toBe('a\n\nb');
  });
});
