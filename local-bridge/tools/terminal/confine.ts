/** A program with its arguments, ready to start. */
interface Launch {
  readonly file: string;
  readonly args: readonly string[];
}

/** A way to keep commands apart from the rest of the machine. */
export interface Confinement {
  readonly kind: 'sandbox' | 'namespace' | 'group';
  /** The system's name for it. */
  readonly name: string;
  /** True if a process inside could leave its family and live on, so that the warden must follow it. */
  readonly leaky: boolean;
  /**
   * Gives the program to start, so that `shell` runs `command` inside and, where possible, changes nothing in `hold`.
   */
  launch(command: string, shell: string, hold: readonly string[]): Promise<Launch>;
  /** Cleans up after every command. */
  after(): void;
  close(): Promise<void>;
}

/** The reason why something is not available, for people. */
export interface Unavailable {
  readonly unavailable: string;
}

export function isUnavailable(value: object): value is Unavailable {
  return 'unavailable' in value;
}

/** The weakest confinement: the command leads a session of its own. */
export const sessionOnly: Confinement = {
  kind: 'group',
  name: 'process session',
  leaky: true,
  launch: async (command, shell) => ({ file: shell, args: ['-c', command] }),
  after: () => undefined,
  close: async () => undefined,
};
