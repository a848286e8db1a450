import type { AnyContract } from '../../../contracts/contract.ts';
import { machinePreview } from '../../../contracts/preview.ts';
import type { Refusal } from '../../../src/core/call.ts';
import type { Handler } from '../../../src/core/handler.ts';
import { readCallText } from '../../../src/core/prepared-call.ts';
import { type ToolSet, toolSet } from '../../../src/core/tools.ts';
import type { MachineDoor } from '../policy/door.ts';
import { preparedCall } from './runner.ts';

interface PreviewPorts {
  /** The id under which this machine is paired. */
  readonly machine: string;
  tools(): ToolSet;
  /** Gives the refusal if this machine's own settings forbid a tool. */
  forbids(contract: AnyContract): Refusal | undefined;
}

/** Adds previews to a set of tools: the gateway may ask, through the same door, what a call would do. */
export function withPreviews(
  machine: string,
  door: MachineDoor,
  tools: (preview: ToolSet) => ToolSet,
): ToolSet {
  const { forbids } = door;
  const preview = toolSet({ preview: machinePreview }, { preview: previewHere }, door, {
    ...{ machine, forbids, tools: () => all },
  });
  const all = tools(preview);
  return all;
}

/** Says what a call would do on this machine. The owner is not asked about a call that this machine would refuse. */
export const previewHere: Handler<typeof machinePreview, PreviewPorts> = async (
  { text, digest },
  call,
  { machine, tools, forbids },
) => {
  const tool = tools().get(readCallText(text, digest)?.tool ?? '');
  if (!tool || tool.contract === machinePreview) return call.fail('no_preview');
  const forbidden = forbids(tool.contract);
  if (forbidden) return call.ok({ preview: null, refused: inWords(forbidden) });
  const prepared = preparedCall(tool.contract, { id: call.id, text, digest }, call.caller, machine);
  if (!prepared || typeof prepared === 'string')
    return call.fail('no_preview', 'The machine reads this call differently than the gateway does.');
  const looked = await tool.look(prepared);
  if (!('kind' in looked)) return call.ok({ preview: looked, refused: null });
  return looked.kind === 'failed'
    ? call.ok({ preview: null, refused: inWords(looked) })
    : call.fail('no_preview', looked.why);
};

function inWords({ failure: { code, message, suggestion } }: Refusal) {
  return { code, message, suggestion };
}
