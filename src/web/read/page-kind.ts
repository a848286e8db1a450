/** The sort of page. It decides what around the text belongs to it. */
export type Kind = 'article' | 'thread' | 'product' | 'list' | 'docs' | 'other';
