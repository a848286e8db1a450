import type { OwnerObject } from './owner-object.ts';

/** The owner's object, called from the Worker. */
export type OwnerStub = DurableObjectStub<OwnerObject>;
