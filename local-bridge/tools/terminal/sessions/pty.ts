/** A program that runs at a terminal of its own. */
export interface Pty {
  readonly pid: number;
  /** The name of the program in front, as the system tells it. */
  readonly process: string;
  write(text: string): void;
  pause(): void;
  resume(): void;
  resize(columns: number, rows: number): void;
}

/** A program to start at a terminal. */
interface PtyOrder {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  onData(chunk: Buffer): void;
  onExit(code: number, signal: number): void;
}

/** Starts a program at a terminal. */
export type SpawnPty = (order: PtyOrder) => Pty;

/** The size of every terminal. Wide, so that programs break few lines. */
export const COLUMNS = 160;
export const ROWS = 40;

/** Loads the package that makes terminals; gives the reason for people if this system has no build of it. */
export async function loadPty(
  load = () => import('@lydell/node-pty'),
): Promise<SpawnPty | { readonly unavailable: string }> {
  try {
    const { spawn } = await load();
    return ({ file, args, cwd, env, onData, onExit }) => {
      // Without an encoding it gives bytes, whatever its types say.
      const pty = spawn(file, [...args], {
        ...{ name: 'xterm-256color', cols: COLUMNS, rows: ROWS, cwd, env, encoding: null },
      });
      pty.onData((chunk: string | Buffer) => onData(Buffer.from(chunk)));
      pty.onExit(({ exitCode, signal = 0 }) => onExit(exitCode, signal));
      return pty;
    };
  } catch {
    return {
      unavailable: `The package \`@lydell/node-pty\` has no build for ${process.platform}-${process.arch} here.`,
    };
  }
}
