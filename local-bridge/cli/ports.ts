import { homedir } from 'node:os';
import { parse } from 'node:path';
import type { AnyContract } from '../../contracts/contract.ts';
import { catalogue, machineTools } from '../../contracts/index.ts';
import type { Caller } from '../../src/core/call.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { Door } from '../../src/core/invoke.ts';
import { type ToolSet, toolSet } from '../../src/core/tools.ts';
import { isJoinedName } from '../../src/joined/names.ts';
import { chatBy } from '../../src/language/settings.ts';
import { sayHello } from '../../src/tools/hello.ts';
import { cleanTheTranscript } from '../../src/tools/transcript.ts';
import { fetchPage } from '../../src/tools/web.ts';
import { searchTheWeb } from '../../src/tools/web-search.ts';
import { makeWebPorts } from '../../src/web/web-ports.ts';
import { openMachine } from '../agent/machine.ts';
import { defaultMachineName } from '../agent/pairing/default-name.ts';
import { pairedMachine } from '../agent/pairing/machine-file.ts';
import { type Root, rootsFrom } from '../agent/policy/roots.ts';
import { type BridgeSettings, bridgeSettings } from '../agent/policy/settings.ts';
import { joinStdioServers } from '../agent/servers/join.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { bowlineHome } from '../lib/home.ts';
import { localDoor } from '../local/gate/local-door.ts';
import { placeHere } from '../local/gate/local-place.ts';
import { makeMachineFetch } from '../tools/web/machine-fetch.ts';

const { hello } = catalogue;
const { 'search.web': search_web, 'web.fetch': web_fetch, 'transcript.clean': transcript_clean } = catalogue;
const plainContracts = { hello, search_web, web_fetch, transcript_clean };

/** All that a computer can do without a gateway, in the order of lists. */
export const localContracts: readonly AnyContract[] = Object.values({
  ...plainContracts,
  ...machineTools,
});

/** Gives the tools that need no machine, only a network or nothing at all. */
function plainTools(door: Door): ToolSet {
  const web = makeWebPorts(process.env, { guarded: makeMachineFetch(), open: fetch });
  return toolSet(
    plainContracts,
    { hello: sayHello, search_web: searchTheWeb, web_fetch: fetchPage, transcript_clean: cleanTheTranscript },
    door,
    { clock: systemClock, ...web, chat: chatBy(process.env, fetch) },
  );
}

/** This computer without a gateway: all its tools, behind a gate of its own. */
export interface Here {
  readonly tools: ToolSet;
  /** The open folders. */
  readonly roots: readonly { readonly name: string }[];
  /** Closes what was opened, once the ledger is written. */
  close(): Promise<void>;
}

/** Opens this computer for a person at it, or for a program that they started. Everything is wired here. */
export async function openHere(options: {
  /** True to ask the person at this terminal about calls that wait. */
  readonly asksHere: boolean;
  /** True if it serves more than one call. */
  readonly staysOpen: boolean;
  /** The wanted tools by contract name; all if left out. */
  readonly only?: readonly string[];
}): Promise<Here> {
  const home = bowlineHome();
  const settings = bridgeSettings(home);
  const wanted = ({ name, wireName }: AnyContract) =>
    (options.only?.includes(name) ?? true) && !settings.deny.includes(wireName);
  // Tools that only fetch need no folder and no terminal.
  const roots = Object.values<AnyContract>(machineTools).some(wanted) ? rootsHere(settings) : undefined;
  const name = pairedMachine(home)?.name ?? defaultMachineName();
  const door = localDoor(home, { asksHere: options.asksHere, place: placeHere(name, roots ?? []) });
  const machine = roots && (await openMachine({ home, roots, settings, staysOpen: options.staysOpen }));
  const all = [...plainTools(door), ...(machine?.tools(door) ?? [])];
  const ours: ToolSet = new Map(all.filter(([, { contract }]) => wanted(contract)));
  // Start other servers only if one of their tools may be called.
  const joined =
    (options.only?.some(isJoinedName) ?? true) ? await joinStdioServers(settings.servers) : undefined;
  return {
    tools: joined ? joined.tools(door, ours, settings.deny) : ours,
    roots: roots ?? [],
    close: async () => {
      await door.finish();
      await joined?.close();
      await machine?.close();
    },
  };
}

/**
 * Gives the folders of the settings, or else the current one. A home folder or disk is never opened only because
 * nobody chose.
 */
function rootsHere(settings: BridgeSettings): Root[] {
  if (settings.roots !== undefined) return rootsFrom([], settings);
  const here = process.cwd();
  if (here === parse(here).root || here === homedir()) {
    throw new CliError(
      `Bowline does not open all of ${here} to tools.`,
      'Run this in the folder to open, or list `roots` in bridge.json.',
      EXIT.usage,
    );
  }
  return rootsFrom(['.'], settings);
}

/** Makes the caller: the person at this computer, or a program that they started. */
export function localCaller(via: Caller['via'], client: string): Caller {
  return { principal: 'local', client, via, scopes: new Set(['read', 'write', 'machine']) };
}
