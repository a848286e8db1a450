import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { nearest } from '../../../src/core/nearest.ts';
import { type Change, type Fit, fitOf } from './change.ts';
import { type Declaration, declarationsIn } from './declarations.ts';
import { check } from './syntax.ts';
import type { Piece } from './text.ts';

/** A change, and the declaration that it is made in. */
export type Edit = Change & {
  /**
   * Something with a name at the top of a file, or a member of a class there: `admit`, `Approvals.decide`. In an SQL
   * file, what is created. Left out, it is what some file does when it is loaded.
   */
  readonly in?: string;
  /** The name of the file, without its folder: only where the change fits two declarations of the same name. */
  readonly file?: string;
};

/** A file of the project, parsed once and only if it is needed. */
interface Source {
  readonly path: string;
  readonly text: string;
  declarations(): readonly Declaration[];
}

/** Where a change fits. */
interface Fitting {
  readonly source: Source;
  readonly piece: Piece;
}

/** The source files of the product, as what they declare. */
export class Project {
  readonly #sources: readonly Source[];
  /** The files that a word stands in: only those can declare it. */
  readonly #having = new Map<string, Source[]>();

  /** Takes the text of each file by its path. */
  constructor(files: ReadonlyMap<string, string>) {
    this.#sources = [...files].map(([path, text]) => {
      let found: readonly Declaration[] | undefined;
      return { path, text, declarations: () => (found ??= declarationsIn(path, text)) };
    });
    for (const source of this.#sources)
      for (const word of new Set(source.text.match(/[\w$]+/g))) {
        const list = this.#having.get(word);
        if (list) list.push(source);
        else this.#having.set(word, [source]);
      }
  }

  /** Reads all files of the product in a folder. */
  static at(folder: string): Project {
    const paths = globSync('{src,contracts,local-bridge,migrations,scripts}/**/*.{ts,tsx,mjs,sql}', {
      cwd: folder,
      exclude: (path) => /(?:^|\/)(?:node_modules|generated)(?:\/|$)/.test(path),
    });
    return new Project(new Map(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')])));
  }

  /** Gives the new text of each file that these edits change, by its path. Each edit has to fit exactly once. */
  edited(edits: readonly Edit[]): ReadonlyMap<string, string> {
    const fittings = Map.groupBy(
      edits.map((edit) => this.#fitting(edit)),
      ({ source }) => source,
    );
    const changed = [...fittings].map(([{ path, text }, found]) => {
      const next = withPieces(
        text,
        found.map(({ piece }) => piece),
      );
      if (next === text) throw new Error(`It changes nothing in ${path}.`);
      if (!path.endsWith('.sql')) check(path, next);
      return [path, next] as const;
    });
    return new Map(changed);
  }

  #fitting(edit: Edit): Fitting {
    const fits = fitOf(edit);
    const named = this.#named(edit);
    const found = named.flatMap(([source, { node }]) =>
      fits(node, source.text).map((piece) => ({ source, piece })),
    );
    const [only] = found;
    if (only && found.length === 1) return only;
    const places = found.map(({ source, piece }) => lineOf(source, piece.start));
    if (only) throw new Error(`It fits ${found.length} times, and not once: ${places.join(', ')}.`);
    throw new Error(`It fits nowhere. ${this.#hint(edit, fits, named)}`);
  }

  #named({ in: name = '', file }: Edit): readonly (readonly [Source, Declaration])[] {
    const word = /[\w$]+$/.exec(name)?.[0];
    const sources = word === undefined ? this.#sources : (this.#having.get(word) ?? []);
    return sources
      .filter(({ path }) => file === undefined || basename(path) === file)
      .flatMap((source) => source.declarations().map((one) => [source, one] as const))
      .filter(([, one]) => one.name === name);
  }

  /** Says what somebody who moved, renamed or changed the code has to know. */
  #hint(edit: Edit, fits: Fit, named: readonly (readonly [Source, Declaration])[]): string {
    const { in: name = '', file } = edit;
    const all = this.#sources.flatMap((source) => source.declarations().map((one) => [source, one] as const));
    const said: string[] = [];
    if (named.length > 0) {
      const places = named.map(([source, { node }]) => lineOf(source, node.start));
      said.push(
        `${name || 'What stands outside of declarations'} (${places.slice(0, 5).join(', ')}) holds no such code.`,
      );
    } else {
      const like = nearest(name, new Set(all.map(([, one]) => one.name)));
      said.push(
        `Nothing is called ${name}${file ? ` in a file ${file}` : ''}${like ? `; did you mean ${like}?` : '.'}`,
      );
    }
    // Any function has a body.
    const holders =
      'body' in edit
        ? []
        : all.flatMap(([source, one]) => {
            const [piece] = fits(one.node, source.text);
            return piece ? [`${one.name || 'no declaration'} (${lineOf(source, piece.start)})`] : [];
          });
    if (holders.length > 0) said.push(`Such code stands in ${holders.slice(0, 5).join(', ')}.`);
    return said.join(' ');
  }
}

function lineOf({ path, text }: Source, at: number): string {
  return `${path}:${text.slice(0, at).split('\n').length}`;
}

function withPieces(text: string, pieces: readonly Piece[]): string {
  const sorted = pieces.toSorted((one, other) => other.start - one.start);
  if (sorted.some(({ start }, i) => start < (sorted[i + 1]?.end ?? 0)))
    throw new Error('Two of its edits change the same code.');
  return sorted.reduce(
    (whole, { start, end, text: next }) => whole.slice(0, start) + next + whole.slice(end),
    text,
  );
}
