/** Where the console shows a file of the mirrored repo. */
export function repoPage(origin: string, path: string): string {
  return `${origin}${repoPath(path)}`;
}

/** The same place within the console; for a folder too. */
export function repoPath(path: string): string {
  return path === '' ? '/repo' : `/repo/${encoded(path)}`;
}

/** Where the console shows a line of the memory. */
export function memoryPage(origin: string, file: string, line?: number): string {
  return `${origin}${memoryPath(file, line)}`;
}

/** The same place within the console. */
export function memoryPath(file: string, line?: number): string {
  return `/memory/${encoded(file)}${line === undefined ? '' : `?line=${line}#L${line}`}`;
}

/** A path as it stands in an address, its slashes kept. */
export function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** Its address as an MCP resource. */
export function repoUri(path: string): string {
  return `repo://${encoded(path)}`;
}
