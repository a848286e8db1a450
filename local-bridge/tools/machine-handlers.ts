import type { machineTools } from '../../contracts/index.ts';
import type { Handlers } from '../../src/core/tools.ts';

/** Some of the machine's handlers. With this type, a handler without a contract does not compile. */
export type MachineHandlers = Partial<Handlers<typeof machineTools, never>>;
