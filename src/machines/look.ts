import { machinePreview } from '../../contracts/preview.ts';
import { ADMITTED } from '../core/admit.ts';
import { type Door, invoke } from '../core/invoke.ts';
import type { PreparedCall } from '../core/prepared-call.ts';
import type { Looked, NoPreview } from '../core/preview.ts';
import { failureFrom } from './answer.ts';
import { type Machines, onMachine } from './reach.ts';

/** A longer call would hold up the link, only for a preview. */
const MAX_CHARS = 2 * 1024 * 1024;

/** Asks a call's machine what the call would do there. */
export async function lookOnMachine(
  prepared: PreparedCall,
  signal: AbortSignal,
  machines: Machines,
  report: (error: unknown, where: string) => void,
): Promise<Looked> {
  const { machine, contract, text, digest, caller } = prepared;
  if (!machine) return none('No machine runs this call.');
  if (text.length > MAX_CHARS) return none('The call is too long for a preview.');
  // The call itself goes through the gate. This preview is part of the gate's question.
  const door: Door = {
    newCallId: () => `look_${crypto.randomUUID()}`,
    place: () => ({ machine, root: null }),
    admit: () => ADMITTED,
    turnedAway: () => undefined,
    report: (error) => report(error, 'preview'),
  };
  const { principal, client, via, scopes } = caller;
  const asker = { principal, client, via, scopes, signal };
  const result = await invoke(machinePreview, onMachine(machinePreview), { text, digest }, asker, door, {
    machines,
  });
  if (result.kind !== 'ok') {
    return none(
      result.kind === 'failed'
        ? `${machine.name} gave no preview: ${result.failure.message}`
        : 'It asks first.',
    );
  }
  const { preview, refused } = machinePreview.output.parse(result.output);
  if (preview) return preview;
  const failure = refused && failureFrom(contract, { kind: 'failed', failure: refused });
  return failure ? { kind: 'failed', failure } : none(`${machine.name} gave no preview.`);
}

function none(why: string): NoPreview {
  return { kind: 'none', why };
}
