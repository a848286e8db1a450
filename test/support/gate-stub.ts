import type { PreparedCall } from '../../src/core/prepared-call.ts';
import type { GateDoorPorts, GatePort } from '../../src/gate/gate-door-ports.ts';
import type { Ending, GateAnswer, GateCall, OpenApproval, OpenRead } from '../../src/gate/messages.ts';
import { type Desk, deskSet, placeAsTold } from './gate-tools.ts';

/** The approval that a stub of a gate asks for. */
export const OPEN: OpenApproval = { id: 'an-id', code: 'K7QX-3M9D', expiresAt: 0 };

export const ASK: GateAnswer = { kind: 'ask', approval: OPEN, isNew: false };
export const ADMITTED: GateAnswer = { kind: 'admitted', seq: 7 };

/** A door before a gate that says what it is told to say, and writes down what it is asked. */
export function stubbedDoor(gate: Partial<GatePort> = {}, more: Partial<GateDoorPorts> = {}) {
  const admits: { call: GateCall; endings: Ending[] }[] = [];
  const settles: (Ending | OpenRead)[][] = [];
  const waits: number[] = [];
  const answered: string[] = [];
  const left: string[][] = [];
  const announced: { approval: OpenApproval; request: PreparedCall }[] = [];
  const reported: { error: unknown; where: string }[] = [];
  const late: Promise<unknown>[] = [];
  let ways = 0;
  const desk: Desk = { runs: [] };
  const port: GatePort = {
    admit: async (call, endings) => {
      admits.push({ call, endings: [...endings] });
      return gate.admit ? gate.admit(call, endings) : ADMITTED;
    },
    settle: async (endings) => {
      settles.push([...endings]);
      await gate.settle?.(endings);
    },
    awaitDecision: async (id, ms, callId) => {
      waits.push(ms);
      await gate.awaitDecision?.(id, ms, callId);
    },
    answered: async (id, more) => void answered.push(more === 1 ? id : `${id} is back`),
    leave: async (id, callId) => void left.push([id, callId]),
  };
  let calls = 0;
  const ports: GateDoorPorts = {
    gate: () => {
      ways += 1;
      return port;
    },
    origin: 'https://bowline.example',
    place: placeAsTold,
    newCallId: () => `call_${++calls}`,
    later: (work) => void late.push(work),
    announce: async (approval, request) => void announced.push({ approval, request }),
    report: (error, where) => void reported.push({ error, where }),
    ...more,
  };
  return {
    tools: deskSet(ports, desk),
    ports,
    desk,
    admits,
    settles,
    waits,
    answered,
    left,
    announced,
    reported,
    late,
    /** How many times a way to the gate was asked for. */
    ways: () => ways,
  };
}
