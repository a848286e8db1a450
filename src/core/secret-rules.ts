import { indexRules, type SecretRule } from './find-secrets.ts';
import { ARGUMENTS } from './secret-arguments.ts';
import { LABELLED } from './secret-labels.ts';
import { SHAPES } from './secret-shapes.ts';

/** Every kind of secret that Bowline hides. The certain ones also stop a push. */
export const SECRET_RULES: readonly SecretRule[] = [...SHAPES, ...LABELLED, ...ARGUMENTS];

export const ANY_SECRET = indexRules(SECRET_RULES);
/** The kinds that no other text looks like. */
export const CERTAIN_SECRET = indexRules(SECRET_RULES.filter(({ certain }) => certain));
