/** Names that the pages with passkeys and their script share. */

/** Names the ceremony that a form begins. */
export const CEREMONY = 'data-passkey';

export type Ceremony = 'register' | 'confirm' | 'signIn';

/** Marks a form that begins a ceremony. It stays hidden where the script does not run. */
export function begins(ceremony: Ceremony): Readonly<Record<string, string>> {
  return { [CEREMONY]: ceremony };
}

/** The fields of these forms. */
export const FIELD = { csrf: 'csrf', name: 'name', next: 'next' } as const;
