import type { GateObject } from './gate-object.ts';

/** The gate's object, as the Worker calls it. */
export type GateStub = DurableObjectStub<GateObject>;
