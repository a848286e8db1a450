/** What a service manager starts, and the file for the bridge's output. */
export interface ServiceSpec {
  /** The program and its arguments, with absolute paths. */
  readonly command: readonly string[];
  readonly home: string;
  readonly logFile: string;
  /** The search path for programs, because a service gets nothing from the user's shell. */
  readonly path: string;
}

export const LAUNCHD_LABEL = 'dev.bowline.bridge';
export const SYSTEMD_UNIT = 'bowline.service';

/** Exit codes after which another start would change nothing: wrong usage, the owner's no, and a copied machine. */
const FINAL = [2, 3, 4];

/** Writes the unit of `systemctl --user`. It holds no secret: the bridge reads the key from its home. */
export function systemdUnit({ command, home, logFile, path }: ServiceSpec): string {
  return `[Unit]
Description=Bowline bridge
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=${command.map(systemdArgument).join(' ')}
Environment=${systemdWord(`BOWLINE_HOME=${home}`)} ${systemdWord(`PATH=${path}`)} NO_COLOR=1
StandardOutput=append:${systemdPath(logFile)}
StandardError=append:${systemdPath(logFile)}
UMask=0077
KillMode=mixed
TimeoutStopSec=30
Restart=always
RestartSec=5
RestartPreventExitStatus=${FINAL.join(' ')}

[Install]
WantedBy=default.target
`;
}

/** Quotes an argument. systemd expands variables in every word except the program's own. */
function systemdArgument(word: string, at: number): string {
  return at === 0 ? systemdWord(word) : systemdWord(word).replaceAll('$', '$$$$');
}

/** Quotes a word so that systemd reads it back unchanged, without its escapes and specifiers. */
function systemdWord(text: string): string {
  refuseControls(text);
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%')}"`;
}

/** Writes a path that takes the rest of its line. systemd would read quotes as a part of it. */
function systemdPath(text: string): string {
  refuseControls(text);
  return text.replaceAll('%', '%%');
}

/** Writes the agent of `launchctl`, which starts the bridge at log-in and again when it fails. */
export function launchdPlist({ command, home, logFile, path }: ServiceSpec): string {
  const text = (value: string) => `<string>${xml(value)}</string>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${text(LAUNCHD_LABEL)}
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    ${text(word)}`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>BOWLINE_HOME</key>
    ${text(home)}
    <key>PATH</key>
    ${text(path)}
    <key>NO_COLOR</key>
    <string>1</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>ExitTimeOut</key>
  <integer>30</integer>
  <key>Umask</key>
  <integer>63</integer>
  <key>ProcessType</key>
  <string>Background</string>
  <key>StandardOutPath</key>
  ${text(logFile)}
  <key>StandardErrorPath</key>
  ${text(logFile)}
</dict>
</plist>
`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function xml(text: string): string {
  refuseControls(text);
  return text.replace(/[&<>]/g, (char) => ENTITIES[char] ?? char);
}

function refuseControls(text: string): void {
  if (/\p{Cc}/u.test(text))
    throw new Error(`A service cannot be given ${JSON.stringify(text)}: it holds a control character.`);
}
