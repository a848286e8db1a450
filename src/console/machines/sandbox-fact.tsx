import type { Sandbox } from '../../../contracts/sandboxes.ts';
import { sandboxWords } from '../../core/sandbox-names.ts';
import { Badge } from '../parts/parts.tsx';

/** Shows which sandbox a machine uses. */
export function SandboxFact({ sandbox }: { readonly sandbox: Sandbox | null }) {
  const { words, hint } = sandboxWords(sandbox);
  if (hint === undefined) return <>{words}</>;
  return (
    <>
      <Badge tone="warn">{words}</Badge> <span class="quiet">{hint}</span>
    </>
  );
}
