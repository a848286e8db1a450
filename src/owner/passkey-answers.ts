/** The answer of `/passkeys/confirm` to a right passkey. */
export interface Confirmed {
  readonly confirmed: true;
  /** A proof gives the session a new secret, so forms need this new token. */
  readonly csrf: string;
}

/** The answer of `/passkeys/sign-in` to a right passkey. */
export interface SignedIn {
  /** The page that the owner wanted to open. */
  readonly location: string;
}
