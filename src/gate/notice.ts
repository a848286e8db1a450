/**
 * A message to the owner. Its body is a short summary, without secrets and without the arguments themselves.
 */
export interface Notice {
  readonly title: string;
  readonly body: string;
  /** The address that a tap opens. */
  readonly url: string;
  /** A newer notice with the same tag replaces an older one. */
  readonly tag: string;
}
