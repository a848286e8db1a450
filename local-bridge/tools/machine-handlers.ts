import type { machineTools } from '../../contracts/index.ts';
import type { Handlers } from '../../src/core/tools.ts';

/** Some of the machine's handlers. The type refuses handlers without a contract. */
export type MachineHandlers = Partial<Handlers<typeof machineTools, never>>;
