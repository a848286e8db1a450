import { detail, done } from '../../lib/print.ts';

interface Running {
  readonly mcp: string;
  readonly console: string;
  readonly machine: string;
  readonly root: string;
  readonly mirror: { readonly summary: string; readonly open: readonly string[] };
  readonly state: string;
}

/** Shows everything that runs, on one screen. */
export function showScreen({ mcp, console: address, machine, root, mirror, state }: Running): void {
  done('Bowline is up.');
  detail('MCP', mcp);
  detail('Console', address);
  detail('Machine', `${machine}, with ${root} open`);
  detail('Mirror', mirror.summary);
  if (mirror.open.length > 0) {
    detail('Open in it', mirror.open.join(' '));
    detail('Open more', "bowline mirror open 'src/**'");
  }
  detail('State', state);
}

/** Shows what somebody needs at the first start. The key itself is not shown: what is printed may end up in a log. */
export function showFirstSteps(mcp: string, ownerKeyFile: string): void {
  detail('Owner key', `in ${ownerKeyFile}`);
  detail('In Claude Code', `claude mcp add -t http bowline ${mcp}`);
}

/** Says that the owner revoked this computer, alone or with everything else. */
export function showShutOut(machine: string): void {
  console.log(
    `  ${machine} was revoked. The gateway continues without it. Start Bowline again to pair it anew.`,
  );
}
