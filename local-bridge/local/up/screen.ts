import { detail, done } from '../../lib/print.ts';

interface Running {
  readonly mcp: string;
  readonly console: string;
  readonly machine: string;
  readonly root: string;
  readonly mirror: string;
  readonly state: string;
}

/** Shows everything that runs, on one screen. */
export function showScreen({ mcp, console: address, machine, root, mirror, state }: Running): void {
  done('Bowline is up.');
  detail('MCP', mcp);
  detail('Console', address);
  detail('Machine', `${machine}, with ${root} open`);
  detail('Mirror', mirror);
  detail('State', state);
}

/** Shows what somebody needs at the first start. */
export function showFirstSteps(mcp: string, ownerKey: string): void {
  detail('Owner key', `${ownerKey} (signs you in to the console; kept in the state folder as well)`);
  detail('Try', `claude mcp add --transport http bowline ${mcp}`);
}

/** Says that the owner revoked this computer, alone or with everything else. */
export function showShutOut(machine: string): void {
  console.log(`  ${machine} was revoked. The gateway goes on without it; start again to have it back.`);
}
