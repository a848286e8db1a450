import type { machineTools } from '../../contracts/index.ts';
import type { Handlers } from '../../src/core/tools.ts';

/** Some of the machine's handlers. Whatever satisfies this has none that no contract asks for. */
export type MachineHandlers = Partial<Handlers<typeof machineTools, never>>;
