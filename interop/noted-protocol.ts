/** Notes which protocol this process's requests say they are in, for clients that do not tell. */
export function notedProtocol(): () => Promise<string | undefined> {
  let noted: string | null = null;
  const plain = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    noted = headers.get('mcp-protocol-version') ?? noted;
    return plain(input, init);
  };
  return async () => noted ?? undefined;
}
