/** Gives the console's address for a file of the mirrored repo. */
export function repoPage(origin: string, path: string): string {
  return `${origin}${repoPath(path)}`;
}

/** Gives the same place within the console, also for a folder. */
export function repoPath(path: string): string {
  return path === '' ? '/repo' : `/repo/${encoded(path)}`;
}

/** Gives the console's address for a line of the memory. */
export function memoryPage(origin: string, file: string, line?: number): string {
  return `${origin}${memoryPath(file, line)}`;
}

/** Gives the same place within the console. */
export function memoryPath(file: string, line?: number): string {
  return `/memory/${encoded(file)}${line === undefined ? '' : `?line=${line}#L${line}`}`;
}

/** Encodes a path for an address and keeps its slashes. */
export function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** Gives a path's address as an MCP resource. */
export function repoUri(path: string): string {
  return `repo://${encoded(path)}`;
}
