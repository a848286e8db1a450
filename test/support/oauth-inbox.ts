/** Things that arrive one by one, for whoever waits for the next. */
export interface Inbox<T> {
  put(item: T): void;
  /** The oldest not yet taken, as soon as there is one. */
  next(): Promise<T>;
  /** How many have come so far. */
  count(): number;
}

export function inbox<T>(): Inbox<T> {
  const items: T[] = [];
  const waiting: ((item: T) => void)[] = [];
  let came = 0;
  return {
    put: (item) => {
      came++;
      const taker = waiting.shift();
      if (taker) taker(item);
      else items.push(item);
    },
    next: async () => (items.length > 0 ? (items.shift() as T) : new Promise((take) => waiting.push(take))),
    count: () => came,
  };
}
