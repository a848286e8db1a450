/** How often a smaller input is tried. */
const MAX_TRIES = 1_500;

/** The smallest input found that fails as this one does. */
export async function shrink(input: string, fails: (smaller: string) => Promise<boolean>): Promise<string> {
  let smallest = input;
  let tries = 0;
  const take = async (candidate: string): Promise<boolean> => {
    if (candidate === smallest || tries >= MAX_TRIES) return false;
    tries++;
    if (!(await fails(candidate))) return false;
    smallest = candidate;
    return true;
  };
  for (let size = Math.ceil(input.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < smallest.length && tries < MAX_TRIES; ) {
      // What follows moves to this place, so it is not passed over.
      if (!(await take(smallest.slice(0, at) + smallest.slice(at + size)))) at += size;
    }
  }
  for (let at = 0; at < smallest.length && tries < MAX_TRIES; at++) {
    for (const plain of ['a', '0']) {
      if (/[a0]/.test(smallest.charAt(at))) break;
      if (await take(smallest.slice(0, at) + plain + smallest.slice(at + 1))) break;
    }
  }
  return smallest;
}
