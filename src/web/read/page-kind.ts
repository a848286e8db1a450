/** What sort of page it is, which says what around the text belongs to it. */
export type Kind = 'article' | 'thread' | 'product' | 'list' | 'docs' | 'other';
