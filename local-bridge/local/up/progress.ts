/** Shows what is being done: one changing line in a terminal, and a line for each step anywhere else. */
export interface Progress {
  step(what: string): void;
  /** Removes the line. */
  end(): void;
}

export function showProgress(stream: NodeJS.WriteStream): Progress {
  if (!stream.isTTY) return { step: (what) => void stream.write(`${what} …\n`), end: () => undefined };
  let isShown = false;
  const clear = () => {
    if (isShown) stream.write('\r\u001b[K');
    isShown = false;
  };
  return {
    step: (what) => {
      clear();
      stream.write(`${what} …`);
      isShown = true;
    },
    end: clear,
  };
}
