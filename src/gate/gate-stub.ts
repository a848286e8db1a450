import type { GateObject } from './gate-object.ts';

/** The gate's object, called from the Worker. */
export type GateStub = DurableObjectStub<GateObject>;
