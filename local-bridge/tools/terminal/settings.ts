/** Whether commands run in the system's sandbox: if there is one, only if there is one, or never. */
export type SandboxMode = 'auto' | 'required' | 'off';

/** What the owner of the machine decides about its terminal. */
export interface TerminalSettings {
  /** Left out: on. */
  readonly enabled?: boolean;
  /** Left out: `auto`. */
  readonly sandbox?: SandboxMode;
  /** Hosts a sandboxed command may reach, such as `registry.npmjs.org` or `*.github.com`. Left out: none. */
  readonly network?: readonly string[];
  /** Variables of the bridge that a command may see besides the usual ones. */
  readonly environment?: readonly string[];
  /** Left out: the user's own. */
  readonly shell?: string;
}

/** What a terminal is given besides its settings. */
export interface TerminalPlace {
  /** Bowline's state folder, which no command may read. */
  readonly home: string;
  /** More folders of Bowline's that no command may read. */
  readonly alsoClosed?: readonly string[];
  /** Real paths of the open folders, the only ones a sandboxed command may change. */
  readonly roots: readonly string[];
}
