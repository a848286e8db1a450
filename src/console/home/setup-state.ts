import { UP_TOKEN } from '../../core/up-token.ts';
import { listAccess } from '../../owner/access.ts';
import type { AuthPorts } from '../../owner/auth-ports.ts';

/** The first steps of a new owner. Each is true once it is done. */
export interface SetupState {
  readonly passkey: boolean;
  readonly machine: boolean;
  readonly client: boolean;
  readonly repo: boolean;
}

export interface SetupPorts {
  readonly auth: AuthPorts;
  readonly mirror: { stub(): { status(): Promise<{ readonly commit: string | null }> } };
}

/** Finds out which steps are done. Nothing records that: a step is done if its result exists. */
export async function setupState({ auth, mirror }: SetupPorts): Promise<SetupState> {
  const [access, machines, { commit }] = await Promise.all([
    listAccess(auth),
    auth.owner().machines(),
    mirror.stub().status(),
  ]);
  return {
    passkey: access.passkeys.length > 0,
    machine: machines.length > 0,
    client: access.apps.length > 0 || access.tokens.some(({ name }) => name !== UP_TOKEN),
    repo: commit !== null,
  };
}

/** Counts the steps that are done, and all steps. */
export function progressOf(state: SetupState): { readonly done: number; readonly all: number } {
  const steps = Object.values(state);
  return { done: steps.filter(Boolean).length, all: steps.length };
}
