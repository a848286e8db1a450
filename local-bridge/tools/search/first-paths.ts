/** Counts paths in any order, and keeps those that sort first. */
interface FirstPaths {
  add(path: string): void;
  readonly count: number;
  /** Gives the kept paths in order. */
  first(): string[];
}

/** Makes the counter. It keeps at most twice the wanted number at any time. */
export function firstPaths(wanted: number): FirstPaths {
  let kept: string[] = [];
  let count = 0;
  let last: string | undefined;
  const cut = () => {
    kept = kept.sort().slice(0, wanted);
    if (kept.length === wanted) last = kept.at(-1);
  };
  return {
    add: (path) => {
      count += 1;
      if (last !== undefined && path >= last) return;
      kept.push(path);
      if (kept.length >= wanted * 2) cut();
    },
    get count() {
      return count;
    },
    first: () => {
      cut();
      return kept;
    },
  };
}
