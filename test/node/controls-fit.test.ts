import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Control, editsOf } from '../controls/control.ts';
import { type Edit, Project } from '../controls/fit/project.ts';
import { isSame, parse, placesIn } from '../controls/fit/syntax.ts';
import { controls } from '../controls/index.ts';
import { AT_LENGTH } from '../support/at-length.ts';
import { PROJECT } from '../support/up.ts';

/** Everything about the layout of code that Biome can do otherwise than here. */
const OTHERWISE = {
  root: true,
  formatter: { indentStyle: 'tab', lineWidth: 50, lineEnding: 'lf' },
  javascript: {
    formatter: {
      quoteStyle: 'double',
      jsxQuoteStyle: 'single',
      quoteProperties: 'preserve',
      semicolons: 'asNeeded',
      trailingCommas: 'none',
      arrowParentheses: 'asNeeded',
      bracketSpacing: false,
      operatorLinebreak: 'before',
      expand: 'always',
    },
  },
};

/** Puts a comment before each statement, member and element of a file. */
function commented(path: string, text: string): string {
  const starts = [...placesIn(parse(path, text))]
    .filter(({ key, list }) => list && ['body', 'elements', 'properties'].includes(key))
    .map(({ node }) => node.start);
  const sorted = [...new Set(starts)].toSorted((one, other) => other - one);
  return sorted.reduce((all, at) => `${all.slice(0, at)}/* not; what (it was */ ${all.slice(at)}`, text);
}

const namesFile = (control: Control) => editsOf(control).some(({ file }) => file !== undefined);
const tried = AT_LENGTH ? controls : controls.filter((control, n) => n % 8 === 0 || namesFile(control));

describe('a control', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bowline-fit-'));
  const project = Project.at(PROJECT);
  /** What each control makes of the files that it changes. */
  const before = new Map(tried.map((control) => [control, project.edited(editsOf(control))]));
  const touched = new Set([...before.values()].flatMap((files) => [...files.keys()]));
  const originals = new Map([...touched].map((path) => [path, readFileSync(join(PROJECT, path), 'utf8')]));
  const reformatted = new Map<string, string>();

  beforeAll(() => {
    writeFileSync(join(folder, 'biome.json'), JSON.stringify(OTHERWISE));
    for (const [path, text] of originals) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), path.endsWith('.sql') ? text : commented(path, text));
    }
    execFileSync(join(PROJECT, 'node_modules', '.bin', 'biome'), ['format', '--write', '.'], { cwd: folder });
    for (const path of touched) reformatted.set(path, readFileSync(join(folder, path), 'utf8'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('fits files that were moved and renamed, with other quotes, breaks, semicolons, commas and comments', () => {
    const untouched = [...reformatted].filter(
      ([path, text]) => !path.endsWith('.sql') && text === originals.get(path),
    );
    expect(untouched).toEqual([]);
    const paths = [...touched];
    const moved = (path: string) => `src/elsewhere/${paths.indexOf(path)}/${basename(path)}`;
    const renamed = (path: string) => `src/elsewhere/${paths.indexOf(path)}${extname(path)}`;
    const [inMoved, inRenamed] = [moved, renamed].map(
      (nameOf) => new Project(new Map([...reformatted].map(([path, text]) => [nameOf(path), text]))),
    );
    const problems = [...before].flatMap(([control, files]) => {
      const keepsName = namesFile(control);
      try {
        const after = (keepsName ? inMoved : inRenamed)?.edited(editsOf(control));
        const isLike = ([path, text]: [string, string]) =>
          isLikeIn(path, text, after?.get((keepsName ? moved : renamed)(path)));
        return [...files].every(isLike) ? [] : [`${control.id} does something else`];
      } catch (error) {
        return [`${control.id}: ${error}`];
      }
    });
    expect(problems).toEqual([]);
    // A control that names its file costs something when the file is renamed.
    expect(controls.filter(namesFile).length).toBeLessThan(controls.length / 50);
  });
});

function isLikeIn(path: string, text: string, other = ''): boolean {
  if (path.endsWith('.sql')) return text === other;
  return isSame(parse(path, text), parse(path, other));
}

describe('an edit', () => {
  const CODE = `
    const LIMITS = ['one', 'two'] as const;
    export class Door {
      #open = false;
      admit(call: Call): boolean {
        if (isDenied(call)) return false;
        // A comment; with a semicolon.
        return this.#open && (isKnown(call) || isPublic(call)) && count({ call, at: now() }, 1);
      }
      close() { this.#open = false; }
    }
    export const limitOf = (name: string) => find(name)!.limit;
    function isDenied(call: Call) { if (call.x) deny(); log(\`denied \${call.x}: why, \${1}\`); }
    function other(call: Call) { deny(); return /^a{1,9}$/u.test(call.x); }
    start(LIMITS);
  `;
  const SQL =
    'CREATE TABLE log (\n  seq INTEGER\n);\nCREATE TRIGGER grows BEFORE INSERT ON log\n  WHEN NEW.seq < 1\n  BEGIN END;\n';
  const files = new Map([
    ['src/door.ts', CODE],
    [
      'src/list.tsx',
      'export const List = () => (<ul><Item name="a" /> <Item name="b" wide /> text</ul>);\nfunction other() { return 1; }',
    ],
    ['migrations/log.sql', SQL],
  ]);
  const edited = (...edits: Edit[]) =>
    [...new Project(files).edited(edits).values()].join('\n').replace(/\s+/g, ' ');

  it.each<[string, Edit, string]>([
    ['a statement', { in: 'Door.admit', remove: 'if (isDenied(call)) { return (false) }' }, '{ // A comment'],
    [
      'one side of `&&`',
      { in: 'Door', remove: "count({ call, 'at': now(), }, 1)" },
      '(isKnown(call) || isPublic(call)); } close',
    ],
    [
      'one side of `||`',
      { in: 'Door.admit', remove: 'isPublic(call)' },
      'this.#open && (isKnown(call)) && count(',
    ],
    ['a property', { in: 'Door.admit', remove: 'at: now()' }, 'count({ call }, 1)'],
    ['an argument', { in: 'Door.admit', remove: '1' }, 'count({ call, at: now() })'],
    ['the only argument', { remove: 'LIMITS' }, 'start()'],
    ['an element', { in: 'LIMITS', remove: '"one"' }, "= ['two'] as const"],
    ['a statement without braces', { in: 'isDenied', remove: 'deny()' }, 'if (call.x) {} log('],
    ['an attribute', { in: 'List', remove: 'wide' }, '<Item name="b" />'],
    ['an element of JSX', { in: 'List', remove: "<Item name='a' />" }, '<ul> <Item name="b" wide /> text'],
    [
      'a member of a class',
      { in: 'Door', remove: 'close() { this.#open = false }' },
      'count({ call, at: now() }, 1); } }',
    ],
  ])('leaves out %s', (_, edit, after) => {
    expect(edited(edit)).toContain(after);
  });

  it.each<[string, Edit, string]>([
    [
      'an expression, in parentheses if it needs any',
      { in: 'Door.admit', find: 'this.#open', replace: 'a || b' },
      'return (a || b) && (',
    ],
    [
      'a statement without braces',
      { in: 'isDenied', find: 'deny();', replace: 'a(); b()' },
      'if (call.x) { a(); b(); } log(',
    ],
    [
      'several statements',
      { in: 'isDenied', find: 'if (call.x) deny(); log(`denied ${call.x}: why, ${1}`)', replace: 'a()' },
      '{ a(); }',
    ],
    ['a function', { in: 'Door.close', body: 'return 1;' }, 'close() { return 1; }'],
    [
      'a function of one expression',
      { in: 'limitOf', body: 'return 1;' },
      '(name: string) => { return 1; };',
    ],
    [
      'a function by the file it is in',
      { in: 'other', file: 'list.tsx', body: 'return 2;' },
      'function other() { return 2; }',
    ],
    ['a part of a string', { in: 'LIMITS', text: 'wo', replace: "'" }, "= ['one', \"t'\"]"],
    ['a part of a template', { in: 'isDenied', text: 'why,', replace: '`' }, '`denied ${call.x}: \\` ${1}`'],
    ['a part of a regular expression', { in: 'other', text: '{1,9}', replace: '+' }, '/^a+$/u'],
    ['text of JSX', { in: 'List', text: ' text', replace: '' }, '<Item name="b" wide /></ul>'],
    ['SQL', { in: 'grows', text: 'WHEN NEW.seq < 1 BEGIN', replace: 'BEGIN' }, 'INSERT ON log BEGIN END;'],
  ])('replaces %s', (_, edit, after) => {
    expect(edited(edit)).toContain(after);
  });

  it('can be one of several in a file', () => {
    const both = edited({ in: 'Door.close', body: '' }, { in: 'isDenied', remove: 'if (call.x) deny();' });
    expect(both).toContain('close() { }');
    expect(both).toContain('isDenied(call: Call) { log(');
  });

  it.each<[string, Edit, RegExp]>([
    [
      'a name that nothing has, by the nearest',
      { in: 'isDenid', remove: 'a' },
      /^Error: It fits nowhere. Nothing is called isDenid; did you mean isDenied\?/,
    ],
    [
      'code that went elsewhere, by where it is',
      { in: 'isDenied', find: 'now()', replace: '1' },
      /isDenied \(src\/door.ts:13\) holds no such code. Such code stands in Door \(src\/door.ts:8\), Door.admit/,
    ],
    [
      'code that stands there twice',
      { in: 'Door', find: 'this.#open', replace: '1' },
      /It fits 2 times, and not once: src\/door.ts:8, src\/door.ts:10/,
    ],
    ['a function whose name two functions have', { in: 'other', body: '' }, /It fits 2 times/],
    ['what cannot be read', { in: 'Door', remove: 'if (' }, /cannot be read as code/],
    ['what cannot be left out', { in: 'limitOf', remove: 'find(name)' }, /cannot be left out there/],
    ['an empty replacement', { in: 'Door', find: 'now()', replace: '' }, /say `remove`/],
    ['what changes nothing', { in: 'Door', find: 'now()', replace: 'now()' }, /changes nothing/],
    ['what breaks the file', { in: 'Door', find: 'now()', replace: 'now(' }, /cannot be read: /],
    [
      'an edit of the same code as another',
      { in: 'Door', remove: 'close() { this.#open = false }' },
      /change the same code/,
    ],
  ])('refuses %s', (_, edit, why) => {
    const more: Edit[] = /same code/.test(String(why)) ? [{ in: 'Door.close', body: '' }] : [];
    let said = '';
    try {
      edited(edit, ...more);
    } catch (error) {
      said = String(error);
    }
    expect(said).toMatch(why);
  });
});
