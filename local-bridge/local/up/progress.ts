/** Says what is being done while it takes: one line that changes in a terminal, and a line each anywhere else. */
export interface Progress {
  step(what: string): void;
  /** Takes the line away. */
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
