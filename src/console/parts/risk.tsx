import { Badge, type Tone } from './parts.tsx';

const RISK: Readonly<Record<string, readonly [tone: Tone, words: string]>> = {
  read_only: ['good', 'only reads'],
  safe_write: ['warn', 'writes'],
  dangerous: ['bad', 'dangerous'],
};

/** Shows how much harm a tool can do, by its contract. */
export function Risk({ risk }: { readonly risk: string }) {
  const [tone, words] = RISK[risk] ?? ['calm', risk];
  return <Badge tone={tone}>{words}</Badge>;
}
