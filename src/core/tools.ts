import type { AnyContract } from '../../contracts/contract.ts';
import type { Caller, Result } from './call.ts';
import type { Handler } from './handler.ts';
import { type Door, invoke, lookAt, runPrepared } from './invoke.ts';
import type { PreparedCall } from './prepared-call.ts';
import type { Looked, Previewer } from './preview.ts';

/** A contract joined with its handler: a tool that can be listed and called. */
export interface Tool {
  readonly contract: AnyContract;
  /** The id of the machine that alone has it. */
  readonly onlyOn?: string;
  call(args: unknown, caller: Caller): Promise<Result>;
  /** Runs a call that the other side prepared. */
  run(call: PreparedCall): Promise<Result>;
  /** Says what a prepared call would do. */
  look(call: PreparedCall): Promise<Looked>;
}

/** The tools of one side by wire name, in the order in which lists show them. */
export type ToolSet = ReadonlyMap<string, Tool>;

/** Contracts by name. It is not a `Record`, whose index signature would make each of them optional. */
type Contracts<Names> = { readonly [Name in keyof Names]: AnyContract };

export type Handlers<All extends Contracts<All>, Ports> = {
  readonly [Name in keyof All]: Handler<All[Name], Ports>;
};

/** A previewer for each contract that promises a preview, and for no other. */
export type Previews<All extends Contracts<All>, Ports> = {
  readonly [Name in keyof All as true extends All[Name]['hasPreview'] ? Name : never]: Previewer<
    All[Name],
    Ports
  >;
};

/** The arguments after the ports: none if no contract promises a preview. */
type PreviewsIfAny<All extends Contracts<All>, Ports> =
  Record<never, never> extends Previews<All, Ports>
    ? [previews?: Previews<All, Ports>]
    : [previews: Previews<All, Ports>];

/**
 * Joins contracts with their handlers and previewers. A contract without a handler does not compile, nor does a
 * handler without a contract, nor a contract that promises a preview without a previewer.
 */
export function toolSet<All extends Contracts<All>, Ports>(
  contracts: All,
  handlers: Handlers<All, Ports>,
  door: Door,
  ports: Ports,
  ...[previews]: PreviewsIfAny<All, Ports>
): ToolSet {
  const tools = new Map<string, Tool>();
  const previewers: { readonly [Name in keyof All]?: Previewer<All[Name], Ports> } = { ...previews };
  for (const name in contracts) {
    const contract = contracts[name];
    if (tools.has(contract.wireName)) throw new Error(`Two tools are called ${contract.wireName}`);
    const handler = handlers[name];
    const preview = previewers[name];
    if (contract.hasPreview && !preview)
      throw new Error(`${contract.wireName} promises a preview and has none.`);
    tools.set(contract.wireName, {
      contract,
      call: (args, caller) => invoke(contract, handler, args, caller, door, ports, preview),
      run: (call) => runPrepared(contract, handler, call, door, ports, preview),
      look: (call) => lookAt(contract, call, ports, preview),
    });
  }
  return tools;
}
