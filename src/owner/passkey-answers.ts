/** What `/passkeys/confirm` answers when the passkey was right. */
export interface Confirmed {
  readonly confirmed: true;
  /** A proof gives the session a new secret, so forms need this new token. */
  readonly csrf: string;
}

/** What `/passkeys/sign-in` answers when the passkey was right. */
export interface SignedIn {
  /** The page that the owner wanted to open. */
  readonly location: string;
}
