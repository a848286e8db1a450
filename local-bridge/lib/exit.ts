/** The meanings of `bowline`'s exit codes. */
export const EXIT = { done: 0, failed: 1, usage: 2, approval: 3, copied: 4 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command with a sentence for the person who typed it. */
export class CliError extends Error {
  override name = 'CliError';
  readonly suggestion: string | undefined;
  readonly exitCode: ExitCode;

  constructor(message: string, suggestion?: string, exitCode: ExitCode = EXIT.failed) {
    super(message);
    this.suggestion = suggestion;
    this.exitCode = exitCode;
  }
}
