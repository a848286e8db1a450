import type { AnyContract } from '../../contracts/contract.ts';
import { type gatewayTools, machineTools } from '../../contracts/index.ts';
import type { webFetch } from '../../contracts/web-fetch.ts';
import type { Handler } from '../core/handler.ts';
import type { Handlers, Previews } from '../core/tools.ts';
import { type MachinesPort, onMachine, previewOnMachine } from '../machines/reach.ts';
import type { WebPorts } from '../web/web-ports.ts';
import { getCallOutcome } from './get-call.ts';
import { sayHello } from './hello.ts';
import { listMachines } from './list-machines.ts';
import { previewMemory, writeMemory } from './memory.ts';
import { listMirrored, readRepo } from './repo.ts';
import { fetchFound, searchRepoAndMemory } from './search.ts';
import type { cleanTheTranscript } from './transcript.ts';
import { searchTheWeb } from './web-search.ts';

// The first page and the first transcript load what reads them: no start needs it.
const fetchPage: Handler<typeof webFetch, WebPorts> = async (...given) =>
  (await import('./web.ts')).fetchPage(...given);
const cleanTranscript: typeof cleanTheTranscript = async (...given) =>
  (await import('./transcript.ts')).cleanTheTranscript(...given);

/** The handler of each gateway tool. One too few does not compile, nor does one too many. */
const gatewayHandlers = {
  hello: sayHello,
  read_repo_file: readRepo,
  list_repo: listMirrored,
  write_memory_entry: writeMemory,
  search: searchRepoAndMemory,
  fetch: fetchFound,
  'search.web': searchTheWeb,
  'web.fetch': fetchPage,
  'transcript.clean': cleanTranscript,
  list_machines: listMachines,
  get_call: getCallOutcome,
} satisfies Handlers<typeof gatewayTools, never>;

/** The machine tools all have one handler, which lets a machine do the work. */
const machineHandlers = Object.fromEntries(
  Object.entries(machineTools).map(([name, contract]) => [name, onMachine(contract)]),
) as unknown as Handlers<typeof machineTools, MachinesPort>;

/** A handler for every contract of the catalogue. */
export const handlers = { ...gatewayHandlers, ...machineHandlers };

const machinePreviews = Object.fromEntries(
  Object.entries(machineTools).flatMap(([name, contract]: [string, AnyContract]) =>
    contract.hasPreview ? [[name, previewOnMachine]] : [],
  ),
) as unknown as Previews<typeof machineTools, MachinesPort>;

/** The previewers: the machine that the call would run on, or the memory. */
export const previews = { ...machinePreviews, write_memory_entry: previewMemory };
