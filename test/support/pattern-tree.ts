/** A regular expression as a tree, as far as its cost is concerned. */
export type Piece =
  | { readonly type: 'char'; readonly source: string }
  | { readonly type: 'all'; readonly pieces: readonly Piece[] }
  | { readonly type: 'any'; readonly pieces: readonly Piece[] }
  | {
      readonly type: 'repeat';
      readonly piece: Piece;
      readonly min: number;
      readonly max: number;
      readonly isLazy: boolean;
    }
  /** A group that is remembered, by its number and perhaps by a name. */
  | { readonly type: 'group'; readonly piece: Piece; readonly number: number; readonly name: string }
  | { readonly type: 'look'; readonly piece: Piece; readonly isNegative: boolean; readonly isBehind: boolean }
  | { readonly type: 'edge'; readonly source: string }
  | { readonly type: 'again'; readonly source: string };

/** Reads the source of a regular expression that the engine has accepted. */
export function readPattern(source: string): Piece {
  let at = 0;
  let groups = 0;
  const peek = (text: string) => source.startsWith(text, at);
  const took = (text: string) => {
    if (!peek(text)) return false;
    at += text.length;
    return true;
  };
  const matched = (pattern: RegExp) => {
    const [text] = new RegExp(pattern.source, 'y').exec(source.slice(at)) ?? [];
    at += text?.length ?? 0;
    return text;
  };

  function any(): Piece {
    const pieces = [all()];
    while (took('|')) pieces.push(all());
    return pieces.length === 1 && pieces[0] ? pieces[0] : { type: 'any', pieces };
  }
  function all(): Piece {
    const pieces: Piece[] = [];
    while (at < source.length && !peek('|') && !peek(')')) pieces.push(repeated(one()));
    return pieces.length === 1 && pieces[0] ? pieces[0] : { type: 'all', pieces };
  }
  function repeated(piece: Piece): Piece {
    const text = matched(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/);
    if (text === undefined) return piece;
    const [, least, comma, most] = /^\{(\d+)(,)?(\d*)/.exec(text) ?? [];
    const min = least === undefined ? (text.startsWith('+') ? 1 : 0) : Number(least);
    const unbounded = /^[*+]/.test(text) || (comma !== undefined && most === '');
    const max = unbounded ? Number.POSITIVE_INFINITY : text.startsWith('?') ? 1 : Number(most || least);
    return { type: 'repeat', piece, min, max, isLazy: text.length > 1 && text.endsWith('?') };
  }
  function one(): Piece {
    if (took('(')) {
      const look = matched(/\?<?[=!]/);
      const opening = look === undefined ? (matched(/\?(?::|<[A-Za-z_$][\w$]*>)/) ?? '') : undefined;
      const number = opening === undefined || opening === '?:' ? 0 : ++groups;
      const piece = any();
      if (!took(')')) throw new Error(`${source} has an open group at ${at}.`);
      if (number > 0) return { type: 'group', piece, number, name: opening?.slice(2, -1) ?? '' };
      if (look === undefined) return piece;
      return { type: 'look', piece, isNegative: look.endsWith('!'), isBehind: look.includes('<') };
    }
    const edge = matched(/\^|\$|\\[bB]/);
    if (edge !== undefined) return { type: 'edge', source: edge };
    const again = matched(/\\(?:[1-9]|k<[^>]*>)/);
    if (again !== undefined) return { type: 'again', source: again };
    const text = matched(
      /\[(?:\\[\s\S]|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\s\S])|[\ud800-\udbff][\udc00-\udfff]|[\s\S]/,
    );
    if (text === undefined) throw new Error(`${source} cannot be read at ${at}.`);
    return { type: 'char', source: text };
  }
  const tree = any();
  if (at < source.length) throw new Error(`${source} cannot be read at ${at}.`);
  return tree;
}

/** Every piece of a tree, outer ones first. */
export function* piecesOf(piece: Piece): Generator<Piece> {
  yield piece;
  if ('piece' in piece) yield* piecesOf(piece.piece);
  if ('pieces' in piece) for (const each of piece.pieces) yield* piecesOf(each);
}
