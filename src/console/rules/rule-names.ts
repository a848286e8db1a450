/** Names that the editor of a rule and its script share. */

/** The id of the editor's form. */
export const RULE_FORM = 'rule';

/** The id of the part that says what the rule would have done. */
export const VERDICT = 'verdict';
