import { describe, expect, it } from 'vitest';
import { capnpText } from '../../../local-bridge/local/up/runtime/capnp-text.ts';

const text = (value: unknown) => capnpText(value, (path) => `from/${path}`);

describe("a value in Cap'n Proto's text form", () => {
  it('is a structure with lists, numbers and truths', () => {
    expect(text({ name: 'a', list: [1, true], inner: {}, left: undefined })).toBe(
      '(name = "a", list = [1, true], inner = ())',
    );
  });

  it('names a file by its path from the configuration', () => {
    expect(text({ esModule: { embed: 'w"orker.js' } })).toBe('(esModule = embed "from/w\\x22orker.js")');
  });

  it.each([
    ['"', '"\\x22"'],
    ['\\', '"\\x5c"'],
    ['a\n\u0000\u007fb', '"a\\x0a\\x00\\x7fb"'],
    ['é 密 🙂', '"é 密 🙂"'],
    ['"), evil = ("', '"\\x22), evil = (\\x22"'],
  ])('keeps %j within its quotes', (value, expected) => {
    expect(text(value)).toBe(expected);
  });

  it.each([null, Symbol('x')])('is refused for what has none', (value) => {
    expect(() => text(value)).toThrow("Cap'n Proto");
  });
});
