import { listAccess } from '../../owner/access.ts';
import type { AuthPorts } from '../../owner/auth-ports.ts';

/** What a new owner does first, by whether it is done. */
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

/** Nothing of it is written down: each step is done if what it leads to is there. */
export async function setupState({ auth, mirror }: SetupPorts): Promise<SetupState> {
  const [access, machines, { commit }] = await Promise.all([
    listAccess(auth),
    auth.owner().machines(),
    mirror.stub().status(),
  ]);
  return {
    passkey: access.passkeys.length > 0,
    machine: machines.length > 0,
    client: access.apps.length > 0 || access.tokens.length > 0,
    repo: commit !== null,
  };
}

/** How many steps are done, and of how many. */
export function progressOf(state: SetupState): { readonly done: number; readonly all: number } {
  const steps = Object.values(state);
  return { done: steps.filter(Boolean).length, all: steps.length };
}
