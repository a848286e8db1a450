import type { AnyContract } from '../../contracts/contract.ts';
import type { Caller, Result } from '../../src/core/call.ts';
import type { Handler } from '../../src/core/handler.ts';
import { invoke } from '../../src/core/invoke.ts';
import { everyone, WatchedDoor } from './tools.ts';

/** Calls a tool through the door as its users do, with ports of the test's own; fails on what nobody foresaw. */
export async function use<C extends AnyContract, Ports>(
  contract: C,
  handler: Handler<C, Ports>,
  args: unknown,
  ports: Ports,
  caller: Partial<Caller> = {},
): Promise<Result> {
  const door = new WatchedDoor();
  const result = await invoke(contract, handler, args, { ...everyone, ...caller }, door, ports);
  const [unforeseen] = door.reported;
  if (unforeseen) throw unforeseen.error;
  return result;
}
