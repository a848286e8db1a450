/** What a service manager has to start, and where it may write what the bridge says. */
export interface ServiceSpec {
  /** The program and its arguments, absolute. */
  readonly command: readonly string[];
  readonly home: string;
  readonly logFile: string;
  /** Where programs are looked for: a service gets none of the user's shell. */
  readonly path: string;
}

export const LAUNCHD_LABEL = 'dev.bowline.bridge';
export const SYSTEMD_UNIT = 'bowline.service';

/** Exit codes after which starting again would change nothing: wrong usage, and the owner's no. */
const FINAL = [2, 3];

/** The unit of `systemctl --user`. No secret is in it: the key is in the home, and read from there. */
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

/** Variables are put into every word but the program's own. */
function systemdArgument(word: string, at: number): string {
  return at === 0 ? systemdWord(word) : systemdWord(word).replaceAll('$', '$$$$');
}

/** A word that systemd reads back as it was: quoted, with its escapes and specifiers undone. */
function systemdWord(text: string): string {
  refuseControls(text);
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%')}"`;
}

/** A path that takes the rest of its line, where quotes would be part of it. */
function systemdPath(text: string): string {
  refuseControls(text);
  return text.replaceAll('%', '%%');
}

/** The agent of `launchctl`, which starts it at log-in and again when it fails. */
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
