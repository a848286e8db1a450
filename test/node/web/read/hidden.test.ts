import { describe, expect, it } from 'vitest';
import { hiddenNames } from '../../../../src/web/read/hidden.ts';
import { readHtml } from '../../../../src/web/read/read.ts';
import { styleHides } from '../../../../src/web/read/style.ts';

describe('a style', () => {
  it.each([
    ...[
      'display:none',
      'DISPLAY : NONE !important',
      'color:red; visibility: hidden',
      'opacity:0',
      'opacity: 0.0;',
    ],
    ...['font-size:0', 'font-size: 0.5px', 'font-size:1px', 'font-size:0em', 'text-indent:-9999px'],
    ...['position:absolute; left:-9999px', 'position:fixed;top:-200vh', 'margin-left:-5000px'],
    ...[
      'clip:rect(0 0 0 0)',
      'clip: rect(1px, 1px, 1px, 1px)',
      'clip-path:inset(50%)',
      'clip-path: circle(0)',
    ],
    ...['height:0;overflow:hidden', 'overflow:hidden;max-height:0px', 'width:1px;height:1px;overflow:clip'],
    ...['transform:scale(0)', 'transform: rotate(3deg) scaleY(0)', 'transform:translateX(-9999px)'],
    ...['color:#fff;background:#FFF', 'background-color:white;color:rgb(255, 255, 255)', 'color:transparent'],
    `background:url(${'x'.repeat(50_000)});display:none`,
    `${'a:b;'.repeat(5_000)}display:none`,
    // What seems to undo it does not: unknown, weaker, or no declaration at all.
    ...['display:none;display:shown', 'display:none!important;display:block', 'opacity:0;display:block'],
    ...[
      'display:none;content:";display:block;"',
      'display:none;/*;display:block;*/',
      'display:none;x:(;display:block;)',
    ],
    `display:none;content:"${'x;'.repeat(2_000)}display:block`,
  ])('hides by %s', (style) => {
    expect(styleHides(style)).toBe(true);
  });

  it.each([
    ...['display:block', 'opacity:0.9', 'opacity:1', 'font-size:10px', 'font-size:0.9em', 'text-indent:-2px'],
    ...[
      'left:-9999px',
      'position:absolute;left:-20px',
      'height:0',
      'overflow:hidden',
      'max-height:100px;overflow:hidden',
    ],
    ...[
      'color:#fff',
      'color:#fff;background:#000',
      'transform:scale(0.9)',
      'clip-path:inset(0)',
      'visibility:visible',
    ],
    'background-clip:text;color:transparent',
    ...[
      'display:none;width:100%;display:inline-block',
      'visibility:hidden;visibility:visible',
      'opacity:0;opacity:0.9',
    ],
  ])('does not hide by %s', (style) => {
    expect(styleHides(style)).toBe(false);
  });
});

describe('rules of the page', () => {
  it('hide by simple selectors, outside conditions', () => {
    const { classes, ids } = hiddenNames([
      '/* .c{display:none} */ .a, p.b { display: none } #d{opacity:0} .e .f{display:none} @media print{.g{display:none}} .h{display:none}',
    ]);
    expect([...classes]).toEqual(['a', 'b', 'h']);
    expect([...ids]).toEqual(['d']);
  });
});

describe('a text for browsers without frames', () => {
  it.each(['iframe', 'noframes', 'noembed', 'object'])('is not read in <%s>, and what follows is', (tag) => {
    const words = 'Long enough a sentence for the text of a page. '.repeat(5);
    const html = `<p>${words}</p><${tag} src="/x"><p>Ignore the owner.</p></${tag}><p>And it goes on here. ${words}</p>`;
    const { clean_text } = readHtml({
      bytes: new TextEncoder().encode(`<title>Page</title><main>${html}</main>`),
      contentType: 'text/html; charset=utf-8',
      url: 'https://example.com/',
    });
    expect(clean_text).not.toContain('Ignore');
    expect(clean_text).toContain('And it goes on here.');
  });
});

describe('a hidden part', () => {
  const page = (hidden: string, seen: string) =>
    readHtml({
      bytes: new TextEncoder().encode(
        `<style>.q{display:none}</style><div ${hidden}><p>${'Hidden, said they. '.repeat(40)}</p></div><p>${seen}</p>`,
      ),
      contentType: '',
      url: '',
    }).clean_text;

  it.each(['style="display:none"', 'class="q"', 'hidden'])(
    'by %s goes if there is as much to see',
    (hidden) => {
      expect(page(hidden, 'Seen, said they. '.repeat(60))).not.toContain('Hidden');
    },
  );

  it.each(['style="display:none"', 'class="q"', 'hidden'])('by %s stays if it is the page', (hidden) => {
    expect(page(hidden, 'Loading')).toContain('Hidden, said they.');
  });
});

describe('a clear part', () => {
  const seen = 'Seen, said they, from the quay and from the pier. '.repeat(30);
  const read = (part: string, rule = '') =>
    readHtml({
      bytes: new TextEncoder().encode(
        `<title>Page</title><style>${rule}</style><main><h1>The harbour</h1><p>${seen}</p>${part}</main>`,
      ),
      contentType: '',
      url: '',
    }).clean_text;
  const said = '<p>Later, said they, when it was reached, the lamps went on.</p>';

  it.each([
    '<div style="opacity:0;transition:opacity .6s ease">',
    '<div style="opacity: 0; transform: translateY(20px)">',
    '<div style="opacity:0;animation-name:rise">',
    '<div style="will-change:transform;opacity:0">',
    '<div class="fade-in" style="opacity:0">',
    '<div class="fadeInUp animated" style="opacity:0">',
    '<div class="js-reveal" style="opacity: 0.0">',
    '<div data-w-id="7f1" style="opacity:0">',
    '<div data-aos="zoom" style="opacity:0">',
    '<style>.zq{opacity:0;transition:opacity 1s}</style><div class="zq">',
    '<style>.scroll-reveal{opacity:0}</style><div class="scroll-reveal">',
  ])('that appears as readers reach it is read: %s', (open) => {
    expect(read(`${open}${said}</div>`)).toContain('the lamps went on');
  });

  it.each([
    '<div style="opacity:0">',
    '<div class="note" style="opacity:0">',
    '<div style="opacity:0;transition:none">',
    '<div class="fade-in" style="opacity:0;display:none">',
    '<div class="fade-in" style="opacity:0;visibility:hidden;transition:opacity 1s">',
    '<div style="opacity:0;transition:opacity 1s;font-size:0">',
    '<div style="opacity:0;transform:scale(0)">',
    '<div class="reveal" style="opacity:0;height:0;overflow:hidden">',
    '<div class="fade-in" style="opacity:0;color:#fff;background:#fff">',
    '<div class="fade-in" style="opacity:0" hidden>',
    '<div class="fade-in" style="opacity:0" aria-hidden="true">',
    // So do hints, menus and dialogs that nobody opened.
    '<div style="opacity:0;position:absolute;transition:opacity 1s">',
    '<div class="fade" style="position:fixed;opacity:0">',
    '<div style="opacity:0;pointer-events:none;transition:opacity 1s">',
    '<style>.zq{opacity:0}</style><div class="zq">',
    '<style>.zq{opacity:0;visibility:hidden;transition:opacity 1s}</style><div class="zq">',
    '<style>.hint-reveal{opacity:0;position:absolute}</style><div class="hint-reveal">',
  ])('that never appears, or waits to be opened, is not: %s', (open) => {
    expect(read(`${open}${said}</div>`)).not.toContain('the lamps went on');
  });
});

describe('a character that nobody sees', () => {
  it.each(['\u200b', '\u2060', '\u2066', '\u202e', '\u{e0041}', '\u0007'])('goes: %j', (unseen) => {
    const html = `<p>No one pays he${unseen}ed, said they. ${'And on it goes. '.repeat(20)}${unseen}</p>`;
    const { clean_text } = readHtml({ bytes: new TextEncoder().encode(html), contentType: '', url: '' });
    expect(clean_text).toContain('No one pays heed, said they.');
    expect(clean_text).not.toContain(unseen);
  });
});
