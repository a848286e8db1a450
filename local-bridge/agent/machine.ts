import { machineTools } from '../../contracts/index.ts';
import { mlxAsk } from '../../contracts/mlx.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { Door } from '../../src/core/invoke.ts';
import { type ToolSet, toolSet } from '../../src/core/tools.ts';
import { pagePorts } from '../../src/web/web-ports.ts';
import { WRANGLER_STATE } from '../lib/project.ts';
import { fileHandlers, filePreviews, openFilePorts } from '../tools/handlers/files-ports.ts';
import { findHandlers } from '../tools/handlers/find.ts';
import { gitHandlers } from '../tools/handlers/git.ts';
import { innerHandlers, mlxHandlers } from '../tools/handlers/mlx.ts';
import { mlxPreviews } from '../tools/handlers/mlx-preview.ts';
import { terminalHandlers } from '../tools/handlers/terminal.ts';
import { terminalPreviews } from '../tools/handlers/terminal-preview.ts';
import { sessionHandlers } from '../tools/handlers/terminal-sessions.ts';
import { sessionPreviews } from '../tools/handlers/terminal-sessions-preview.ts';
import { watchHandlers } from '../tools/handlers/watch.ts';
import { webpageHandlers } from '../tools/handlers/webpage.ts';
import { webpagePreviews } from '../tools/handlers/webpage-preview.ts';
import { type MlxController, openMlx } from '../tools/mlx/controller.ts';
import { hostOf } from '../tools/mlx/host.ts';
import { openRegistry } from '../tools/mlx/registry.ts';
import { mlxSettings } from '../tools/mlx/settings.ts';
import { makeWarmLists } from '../tools/search/warm-lists.ts';
import { terminalSettings } from '../tools/terminal/read-settings.ts';
import { openSessions } from '../tools/terminal/sessions/sessions.ts';
import { openTerminal, type Terminal } from '../tools/terminal/terminal.ts';
import { openCommandUndo } from '../tools/undo/command-undo.ts';
import { machineFetch } from '../tools/web/machine-fetch.ts';
import { openWorkspace } from '../tools/workspace/workspace.ts';
import type { Root } from './policy/roots.ts';
import type { BridgeSettings } from './policy/settings.ts';

/** A machine with its folders, terminal and models open. */
export interface Machine {
  readonly terminal: Terminal;
  readonly mlx: MlxController;
  /** Gives its tools, called through a door. */
  tools(door: Door): ToolSet;
  /** Gives further tools for the gateway, which no client can call. */
  innerTools(door: Door): ToolSet;
  close(): Promise<void>;
}

/** Opens this machine for its tools, and wires them in one place. */
export async function openMachine({
  home,
  roots,
  settings,
  closed = [],
  staysOpen = true,
}: {
  readonly home: string;
  readonly roots: readonly Root[];
  readonly settings: Pick<BridgeSettings, 'terminal' | 'mlx'>;
  /** More of Bowline's own folders, which stay closed to every tool. */
  readonly closed?: readonly string[];
  /** True if it serves more than one call. */
  readonly staysOpen?: boolean;
}): Promise<Machine> {
  const alsoClosed = [WRANGLER_STATE, ...closed];
  const workspace = openWorkspace(roots, { closed: [home, ...alsoClosed] });
  const mlxSet = mlxSettings(settings.mlx);
  const files = await openFilePorts(workspace, home);
  const place = { home, alsoClosed, roots: workspace.roots.map(({ path }) => path) };
  const terminal = await openTerminal(place, terminalSettings(settings.terminal));
  const mlx = openMlx(hostOf(mlxSet, home), openRegistry(home), mlxSet);
  // Only worth building in a long-lived process.
  const warm = staysOpen
    ? makeWarmLists({ workspace, report: (error) => console.error('[warm list]', error) })
    : undefined;
  const web = pagePorts(process.env.DEV_FETCH_ORIGINS, machineFetch, fetch);
  const commandUndo = openCommandUndo({ ...files, home });
  const sessions = openSessions({ home, staysOpen }, { terminal, clock: systemClock });
  const ports = {
    ...{ ...files, sessions, home, web, terminal, commandUndo, mlx, clock: systemClock },
    ...(warm ? { warm } : {}),
  };
  const handlers = {
    ...fileHandlers,
    ...findHandlers,
    ...gitHandlers,
    ...terminalHandlers,
    ...sessionHandlers,
    ...webpageHandlers,
    ...watchHandlers,
    ...mlxHandlers,
  };
  const previews = {
    ...filePreviews,
    ...terminalPreviews,
    ...sessionPreviews,
    ...mlxPreviews,
    ...webpagePreviews,
  };
  return {
    terminal,
    mlx,
    tools: (door) => toolSet(machineTools, handlers, door, ports, previews),
    innerTools: (door) => toolSet({ 'mlx.ask': mlxAsk }, innerHandlers, door, ports),
    close: async () => {
      mlx.close();
      await sessions.close();
      await terminal.close();
      await warm?.close();
      workspace.close();
    },
  };
}
