/** Every step of the walk in words, in order. */
export const STEPS = {
  connect: 'connects with a token',
  tools: 'lists all tools',
  schemas: 'keeps their schemas whole',
  unicode: 'calls `hello` in any script',
  file: 'reads a file of the machine',
  structured: 'has the answer as data too',
  error: 'has the words of an error',
  code: 'has its code',
  held: 'runs a call approved while it waits',
  asked: 'leads its person to the approval',
  later: 'is told to ask, and runs the call sent again',
  resources: 'lists and reads resources',
  prompts: 'lists and fills prompts',
  long: 'takes a long answer, cut',
  megabyte: 'takes 1 MiB whole',
  cancel: 'cancels',
  refused: 'tells that a token is wrong',
} as const;

export type StepName = keyof typeof STEPS;

/** Ends a step that the client has nothing for. */
export const ABSENT = Symbol('absent');

export interface StepResult {
  readonly step: StepName;
  readonly outcome: 'passed' | 'failed' | 'absent';
  /** What went wrong. */
  readonly detail?: string;
  /** What was agreed on while connecting, if the client tells. */
  readonly protocol?: string | undefined;
}
