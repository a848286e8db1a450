import fc from 'fast-check';
import { Parser, Tokenizer } from 'htmlparser2';
import { describe, expect, it } from 'vitest';
import { inOneStep } from '../../../../src/web/read/tokens.ts';
import { holdsFor } from '../../../support/property.ts';

const piece = fc.constantFrom(
  ...[
    '<p>',
    '</p>',
    '<a href="/x?a=1&amp;b=2">',
    "<i title='&lt;&copy it&copy;' class=a&b>",
    '<b data-x="',
    '"',
    "'",
    '>',
    '<',
    '/',
  ],
  ...[
    '&',
    '&amp;',
    '&#',
    '&#x1F600;',
    '&notit;',
    '&no',
    'word ',
    '😀',
    '\ud83d',
    '\n',
    '<!-- & -->',
    '<![CDATA[&amp;]]>',
  ],
  ...[
    '<title>',
    '</title>',
    '<script>',
    '</script>',
    '<style>',
    '</style>',
    '<textarea>',
    '</textarea>',
    ' ',
    '=',
  ],
);

/** Lists what a parser finds in pieces of a page, with the text between two tags as one. */
function found(pieces: readonly string[], options: object): unknown[] {
  const events: unknown[] = [];
  let text = '';
  const close = () => {
    if (text !== '') events.push(text);
    text = '';
  };
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        close();
        events.push([tag, attributes]);
      },
      ontext: (more) => {
        text += more;
      },
      onclosetag(tag) {
        close();
        events.push(`/${tag}`);
      },
    },
    { decodeEntities: true, ...options },
  );
  for (const each of pieces) parser.write(each);
  parser.end();
  close();
  return events;
}

describe('characters taken in one step', () => {
  it('give the same elements, values and texts as one after the other, wherever a piece ends', () => {
    holdsFor(fc.array(fc.array(piece, { maxLength: 12 }), { maxLength: 6 }), (written) => {
      const pieces = written.map((each) => each.join(''));
      expect(found(pieces, inOneStep)).toEqual(found(pieces, {}));
    });
  });

  // The package would ignore steps under other names, and reading would only be slower.
  it.each(['stateText', 'handleInAttributeValue'])('take the place of %s, which is there', (step) => {
    expect(Tokenizer.prototype).toHaveProperty(step, expect.any(Function));
    expect(inOneStep.Tokenizer?.prototype).not.toHaveProperty(step, Tokenizer.prototype[step as never]);
  });
});
