import { randomUUID } from 'node:crypto';
import { catalogue } from '../contracts/index.ts';
import { admitWithoutGate } from '../src/core/admit.ts';
import type { Caller } from '../src/core/call.ts';
import { systemClock } from '../src/core/clock.ts';
import type { Door } from '../src/core/invoke.ts';
import { type ToolSet, toolSet } from '../src/core/tools.ts';
import { sayHello } from '../src/tools/hello.ts';

/** What this computer can do by itself, wired in one place. */
export function localTools(): ToolSet {
  const door: Door = {
    newCallId: () => `call_${randomUUID()}`,
    admit: admitWithoutGate,
    settle: () => undefined,
    report: (error, callId) => console.error(`[${callId}]`, error),
  };
  const { hello } = catalogue;
  return toolSet({ hello }, { hello: sayHello }, door, { clock: systemClock });
}

/** The person at this computer, or a program they started. */
export function localCaller(via: Caller['via'], client: string): Caller {
  return { principal: 'local', client, via, scopes: new Set(['read', 'write', 'machine']) };
}
