import { catalogue, machineTools } from '../../contracts/index.ts';
import { onMachine, previewOnMachine } from '../machines/reach.ts';
import { getCallOutcome } from './get-call.ts';

/** Every tool whose work is done on a machine, and asking what became of it. */
export const machineContracts = { get_call: catalogue.get_call, ...machineTools };

/** What each would do, said by the machine it would run on. */
export const machinePreviews = Object.fromEntries(
  Object.entries(machineContracts).flatMap(([name, { hasPreview }]) =>
    hasPreview ? [[name, previewOnMachine]] : [],
  ),
);

/** Their handlers: a machine does the work, whichever the call goes to. */
export const machineHandlers = {
  get_call: getCallOutcome,
  create_file: onMachine(catalogue.create_file),
  read_file: onMachine(catalogue.read_file),
  replace_string_in_file: onMachine(catalogue.replace_string_in_file),
  list_dir: onMachine(catalogue.list_dir),
  create_directory: onMachine(catalogue.create_directory),
  file_search: onMachine(catalogue.file_search),
  grep_search: onMachine(catalogue.grep_search),
  run_in_terminal: onMachine(catalogue.run_in_terminal),
  terminal_last_command: onMachine(catalogue.terminal_last_command),
  fetch_webpage: onMachine(catalogue.fetch_webpage),
  'mlx.load': onMachine(catalogue['mlx.load']),
  'mlx.unload': onMachine(catalogue['mlx.unload']),
  'mlx.list': onMachine(catalogue['mlx.list']),
} as const;
