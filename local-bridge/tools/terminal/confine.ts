/** A program with its arguments, as a process is started with. */
export interface Launch {
  readonly file: string;
  readonly args: readonly string[];
}

/** How commands are kept apart from the rest of the machine. */
export interface Confinement {
  readonly kind: 'sandbox' | 'namespace' | 'group';
  /** What the system calls it. */
  readonly name: string;
  /** Whether a process inside could leave its family and still be alive: then somebody has to keep watch. */
  readonly leaky: boolean;
  /** What to start, so that `shell` runs `command` inside and, where this is possible, changes nothing in `hold`. */
  launch(command: string, shell: string, hold: readonly string[]): Promise<Launch>;
  /** After every command. */
  after(): void;
  close(): Promise<void>;
}

/** What could not be had, and why, for people. */
export interface Unavailable {
  readonly unavailable: string;
}

export function isUnavailable(value: object): value is Unavailable {
  return 'unavailable' in value;
}

/** The least there is: the command leads a session of its own. */
export const sessionOnly: Confinement = {
  kind: 'group',
  name: 'process session',
  leaky: true,
  launch: async (command, shell) => ({ file: shell, args: ['-c', command] }),
  after: () => undefined,
  close: async () => undefined,
};
