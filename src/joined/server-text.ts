import { catalogue } from '../../contracts/index.ts';
import { cleaned, normalForm } from '../core/visible.ts';

/** Phrases that tell a model what to do instead of what a tool does, each with its purpose. */
const STEERING: readonly (readonly [RegExp, string])[] = [
  [
    /\b(ignore|disregard|forget|override)\b[^.]{0,40}\b(previous|prior|above|earlier|other|all|system)\b/i,
    'tells the model to ignore what it was told',
  ],
  [
    /\b(do not|don't|never)\b[^.]{0,30}\b(tell|mention|inform|reveal|show|notify|ask)\b/i,
    'wants something kept quiet',
  ],
  [
    /<\/?\s*(important|system|instructions?|secret|admin|assistant|user)\b/i,
    'has marks like those of a prompt',
  ],
  [
    /\b(system prompt|developer message|your instructions|jailbreak)\b/i,
    'speaks of the model’s instructions',
  ],
  [
    /\b(before|after|whenever|every time)\b[^.]{0,60}\b(tools?|functions?)\b/i,
    'ties itself to the use of other tools',
  ],
  [/\binstead of\b[^.]{0,40}\b(tool|using|calling)\b/i, 'puts itself in another tool’s place'],
  [
    /\b(you must|you should always|always (call|use|run|include|send)|must first)\b/i,
    'gives the model orders',
  ],
  [
    /(?<!\w)(password|passphrase|api[ _-]?keys?|private key|id_rsa|\.ssh|\.env\b|credentials?|access token|seed phrase)\b/i,
    'speaks of secrets',
  ],
  [
    /\b(user|owner) (has )?(already )?(approved|agreed|consented)|\bpre-?approved\b/i,
    'claims that it is approved',
  ],
];

/** Lists what the owner should know about a text before they believe it. */
export function steeringIn(text: string): string[] {
  // Letters may be spaced out, or have hidden ones in between, to get past a reader.
  const plain = cleaned(normalForm(text, 'NFKC'), 50_000).replace(/[*_`~]/g, '');
  return STEERING.flatMap(([phrase, what]) => {
    const found = phrase.exec(plain);
    return found ? [`It ${what}: “${found[0].slice(0, 80)}”.`] : [];
  });
}

/** Finds the tool of Bowline's own whose name a server also uses. */
export function likeOurs(name: string): string | undefined {
  const bare = bareName(name);
  return Object.values(catalogue).find(({ wireName }) => bareName(wireName) === bare)?.wireName;
}

function bareName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
