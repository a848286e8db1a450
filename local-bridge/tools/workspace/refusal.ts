import type { pathErrors } from '../../../contracts/machine-fields.ts';

type MachineCode = 'machine_offline' | 'unknown_machine' | 'ambiguous_machine' | 'still_running';

/** The reasons to refuse a path. Each contract has its own names for the last three. */
type PathCode =
  | Exclude<keyof typeof pathErrors, MachineCode>
  | 'not_found'
  | 'not_a_file'
  | 'not_a_directory';

/** A refused path, as data. */
export interface WorkspaceRefusal {
  readonly refused: true;
  readonly code: PathCode;
  readonly message: string;
  readonly suggestion?: string;
  /** The part of the path that caused the refusal, if it is not all of it. */
  readonly at?: string;
}

export function refuse(code: PathCode, message: string, suggestion?: string): WorkspaceRefusal {
  return { refused: true, code, message, ...(suggestion === undefined ? {} : { suggestion }) };
}

/** Tells whether a value is a refusal. */
export function isRefusal(value: object): value is WorkspaceRefusal {
  return 'refused' in value;
}
