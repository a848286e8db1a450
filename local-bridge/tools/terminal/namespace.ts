import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { type Confinement, isUnavailable, type Unavailable } from './confine.ts';
import { findProgram } from './environment.ts';

/**
 * Runs inside the new namespaces, at first with the right to mount. It covers Bowline's folders and existing files,
 * and makes what must not change read-only where the system allows that (any change is also found afterwards). Then
 * it gives up that right and stays as the first process, whose end ends everything inside.
 */
const INSIDE = `while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mount -t tmpfs -o ro,mode=0,size=4k bowline "$1" || exit 125
  elif [ -e "$1" ]; then mount --bind /dev/null "$1" || exit 125
  fi
  shift
done
shift
while [ "$1" != -- ]; do
  { mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"; } 2>/dev/null
  shift
done
shift
exec setpriv "$@"`;
// Close its own standard error, because a shell reports a child that was killed.
const FIRST = 'exec 3>&2 2>/dev/null; (exec 2>&3 3>&-; exec "$@"); exit $?';

/**
 * Opens process namespaces, for Linux without a sandbox. Everything that the command starts dies with it, other
 * processes (such as the bridge with its environment) are out of sight, and Bowline's folder is covered.
 */
export function openNamespace(
  home: string,
  user = process.getuid?.() ?? 0,
  platform: NodeJS.Platform = process.platform,
  alsoClosed: readonly string[] = [],
): Confinement | Unavailable {
  if (platform !== 'linux') return { unavailable: 'Only Linux has process namespaces.' };
  const unshare = findProgram('unshare');
  if (!unshare || !findProgram('setpriv')) {
    return { unavailable: 'The programs unshare and setpriv of util-linux are not installed.' };
  }
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const closed = [home, ...alsoClosed];
  const probe = spawnSync(
    unshare,
    [...prefixOf(closed, [], user), '/bin/sh', '-c', 'test ! -r "$0/." || test -z "$(ls -A "$0")"', home],
    {
      stdio: 'ignore',
      timeout: 5_000,
    },
  );
  if (probe.status !== 0) {
    return { unavailable: 'The system does not let this user make namespaces.' };
  }
  return {
    kind: 'namespace',
    name: 'Linux namespaces',
    leaky: false,
    launch: async (command, shell, hold) => ({
      file: unshare,
      args: [...prefixOf(closed, hold, user), shell, '-c', command],
    }),
    after: () => undefined,
    close: async () => undefined,
  };
}

function prefixOf(closed: readonly string[], hold: readonly string[], user: number): string[] {
  const isRoot = user === 0;
  // Root keeps its other rights, which its commands may need. Without the right to mount, no command can uncover
  // anything.
  const dropped = isRoot
    ? ['--bounding-set=-sys_admin,-sys_ptrace,-sys_module', '--inh-caps=-all']
    : ['--ambient-caps=-all', '--inh-caps=-all', '--no-new-privs'];
  return [
    ...(isRoot ? [] : ['--user', '--map-current-user', '--keep-caps']),
    ...['--mount', '--pid', '--fork', '--kill-child=KILL', '--mount-proc', '--'],
    ...['/bin/sh', '-c', INSIDE, 'inside', ...closed, '--', ...hold, '--', ...dropped, '--'],
    ...['/bin/sh', '-c', FIRST, 'first'],
  ];
}

/** Gives the best confinement of this machine besides the sandbox. */
export function withoutSandbox(
  home: string,
  fallback: Confinement,
  alsoClosed: readonly string[] = [],
): Confinement {
  const namespace = openNamespace(home, process.getuid?.(), process.platform, alsoClosed);
  return isUnavailable(namespace) ? fallback : namespace;
}
