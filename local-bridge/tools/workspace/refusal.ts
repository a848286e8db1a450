import type { pathErrors } from '../../../contracts/machine-fields.ts';

type MachineCode = 'machine_offline' | 'unknown_machine' | 'ambiguous_machine' | 'still_running';

/** Every way in which a path is turned down; the last three have a name of their own in each contract. */
export type PathCode =
  | Exclude<keyof typeof pathErrors, MachineCode>
  | 'not_found'
  | 'not_a_file'
  | 'not_a_directory';

/** A path that was turned down, as data. */
export interface WorkspaceRefusal {
  readonly refused: true;
  readonly code: PathCode;
  readonly message: string;
  readonly suggestion?: string;
  /** The part of the path that was in the way, where that is not all of it. */
  readonly at?: string;
}

export function refuse(code: PathCode, message: string, suggestion?: string): WorkspaceRefusal {
  return { refused: true, code, message, ...(suggestion === undefined ? {} : { suggestion }) };
}

/** Whether something from the workspace is a refusal rather than what was asked for. */
export function isRefusal(value: object): value is WorkspaceRefusal {
  return 'refused' in value;
}
