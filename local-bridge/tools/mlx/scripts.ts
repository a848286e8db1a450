/** Quotes any value as one word of a POSIX shell script. */
export function quoted(value: string): string {
  if (value.includes('\0')) throw new Error('A shell word cannot hold NUL.');
  return `'${value.replaceAll("'", "'\\''")}'`;
}

const FOLDER = `"\${BOWLINE_MLX_HOME:-$HOME/.bowline/mlx}"`;

/** The folder with the models, found as Hugging Face's own library does. */
const CACHE = `"\${HF_HUB_CACHE:-\${HF_HOME:-$HOME/.cache/huggingface}/hub}"`;

/** Prints `bytes` of a downloaded model, or nothing if it is not there whole. */
export function findModel(model: string): string {
  const folder = `models--${model.replaceAll('/', '--')}`;
  return `cache=${CACHE}/${quoted(folder)}/snapshots
for config in "$cache"/*/config.json; do
  [ -e "$config" ] || continue
  kilobytes=$(du -skL "$(dirname "$config")" | head -n 1 | cut -f1)
  echo "$((kilobytes * 1024))"
  exit 0
done
`;
}

/** Prints `bytes` of a model in a folder that the owner named, or nothing if there is none. */
export function findModelIn(folder: string): string {
  return `folder=${quoted(folder)}
[ -e "$folder/config.json" ] || exit 0
kilobytes=$(du -skL "$folder" | head -n 1 | cut -f1)
echo "$((kilobytes * 1024))"
`;
}

/** Prints how many bytes of memory programs can still have. */
export const FREE_MEMORY = `if [ -r /proc/meminfo ]; then
  awk '/^MemAvailable:/ { printf "%.0f\\n", $2 * 1024 }' /proc/meminfo
else
  vm_stat | awk '/page size of/ { size = $8 } /^Pages (free|inactive|speculative|purgeable):/ { sub(/\\./, "", $NF); pages += $NF } END { printf "%.0f\\n", pages * size }'
fi
`;

/** Exits with 3 if the command is not there. */
export function findCommand(command: readonly string[]): string {
  return `command -v ${quoted(command[0] ?? '')} >/dev/null 2>&1 || exit 3\n`;
}

/** Prints `yes` if something listens on the port. */
export function listening(port: number): string {
  return `if command -v lsof >/dev/null 2>&1; then
  lsof -nP -iTCP:${port} -sTCP:LISTEN -t >/dev/null 2>&1 && echo yes
elif command -v ss >/dev/null 2>&1; then
  ss -Hltn 'sport = :${port}' | grep -q . && echo yes
else
  netstat -an | grep -E '[.:]${port}[[:space:]].*LISTEN' >/dev/null && echo yes
fi
exit 0
`;
}

/**
 * Starts a server in a group of its own, which outlives its starter, and prints its process id. It also writes the id
 * to a file, so that the server is found again if nobody read the output.
 */
export function start(id: string, port: number, argv: readonly string[]): string {
  const words = argv.map(quoted).join(' ');
  return `umask 077
mkdir -p ${FOLDER} && cd ${FOLDER} || exit 4
log=${port}.log
[ -e "$log.1" ] && mv -f "$log.1" "$log.2"
[ -e "$log" ] && mv -f "$log" "$log.1"
export HF_HUB_OFFLINE=1
if command -v setsid >/dev/null 2>&1; then
  setsid nohup ${words} </dev/null >"$log" 2>&1 &
else
  set -m
  nohup ${words} </dev/null >"$log" 2>&1 &
fi
pid=$!
echo "$pid" >${quoted(`${id}.pid`)}
echo "$pid"
`;
}

/** Prints the process id that `start` wrote, if it came that far. */
export function startedAs(id: string): string {
  return `cat ${FOLDER}/${quoted(`${id}.pid`)} 2>/dev/null; exit 0\n`;
}

/**
 * Prints the start of a process in words that stay the same while it runs, or nothing if there is none. A zombie counts as
 * none. Linux tells the start since the boot, which stays right when somebody sets the clock.
 */
export function sinceOf(pid: number): string {
  return `if [ -r /proc/${pid}/stat ]; then
  stat=$(cat /proc/${pid}/stat 2>/dev/null)
  set -f
  set -- \${stat##*) }
  case "\${1:-Z}" in
    Z|X) ;;
    *) shift 19; echo "$(cat /proc/sys/kernel/random/boot_id) $1" ;;
  esac
  exit 0
fi
${sinceByClock(pid)}`;
}

/** Prints the start of a process by the clock: on a Mac, and as earlier versions wrote it down. */
export function sinceByClock(pid: number): string {
  return `case "$(ps -o stat= -p ${pid} 2>/dev/null)" in ''|Z*) ;; *) ps -o lstart= -p ${pid} 2>/dev/null;; esac; exit 0\n`;
}

/** Prints the resident kilobytes of a server and of what it started. */
export function memoryOf(group: number): string {
  return `ps -A -o pgid=,rss= | awk '$1 == ${group} { sum += $2 } END { print sum + 0 }'\n`;
}

/** Signals a server's whole group. */
export function signal(group: number, name: 'INT' | 'TERM' | 'KILL'): string {
  return `kill -s ${name} -- -${group} 2>/dev/null; exit 0\n`;
}

/** Prints the number of processes left in a group, without zombies. */
export function leftOf(group: number): string {
  return `ps -A -o pgid=,stat= | awk '$1 == ${group} && $2 !~ /^Z/ { n++ } END { print n + 0 }'\n`;
}

/** Prints the end of a port's log. */
export function logTail(port: number): string {
  return `tail -n 12 ${FOLDER}/${port}.log 2>/dev/null | cut -c 1-400; exit 0\n`;
}

/** Prints the time of the last write to a port's log, in seconds. A server writes there when it is asked something. */
export function loggedAt(port: number): string {
  const log = `${FOLDER}/${port}.log`;
  return `stat -c %Y ${log} 2>/dev/null || stat -f %m ${log} 2>/dev/null; exit 0\n`;
}

/**
 * Prints `idle` if nothing was written to a port's log for `minutes` minutes. It also cuts a log that grew too long.
 */
export function idleCheck(port: number, minutes: number): string {
  return `cd ${FOLDER} 2>/dev/null || exit 0
if [ -n "$(find ${port}.log -size +20480k 2>/dev/null)" ]; then
  cp ${port}.log ${port}.log.1 && : >${port}.log
fi
[ -n "$(find ${port}.log -mmin +${minutes} 2>/dev/null)" ] && echo idle
exit 0
`;
}

/** Asks a server over HTTP from its own computer. Prints the body and, on a last line, the status. */
export function asking(port: number, path: string, body: string | undefined, seconds: number): string {
  const send = body === undefined ? '' : `-X POST -H 'content-type: application/json' --data-binary @- `;
  const input = body === undefined ? '</dev/null' : `<<'BOWLINE_BODY_ENDS'\n${body}\nBOWLINE_BODY_ENDS`;
  return `curl -sS --noproxy '*' --max-time ${seconds} ${send}-w '\\n%{http_code}' ${quoted(`http://127.0.0.1:${port}${path}`)} ${input}\n`;
}
