/**
 * The choice of the system's sandbox: use it if there is one (`auto`), run nothing without it (`required`), or never
 * use it (`off`).
 */
type SandboxMode = 'auto' | 'required' | 'off';

/** The owner's decisions about a machine's terminal. */
export interface TerminalSettings {
  /** The terminal is on unless this says otherwise. */
  readonly enabled?: boolean;
  /** `auto` unless set. */
  readonly sandbox?: SandboxMode;
  /** Hosts that a sandboxed command may reach, such as `registry.npmjs.org` or `*.github.com`. None unless set. */
  readonly network?: readonly string[];
  /** Variables of the bridge that a command may see besides the usual ones. */
  readonly environment?: readonly string[];
  /** The user's own shell unless set. */
  readonly shell?: string;
}

/** The surroundings of a terminal, besides its settings. */
export interface TerminalPlace {
  /** Bowline's state folder, which no command may read. */
  readonly home: string;
  /** More folders of Bowline's that no command may read. */
  readonly alsoClosed?: readonly string[];
  /** Real paths of the open folders, the only ones that a sandboxed command may change. */
  readonly roots: readonly string[];
}
