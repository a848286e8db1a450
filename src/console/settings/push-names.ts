/** Names that the page of notifications and its script share. */

/** The ids of the parts that are about this browser. */
export const PUSH_ID = {
  part: 'this-browser',
  /** The text for browsers that cannot be notified. */
  never: 'push-never',
  on: 'push-on',
  off: 'push-off',
} as const;

/** Holds the public key that browsers subscribe with. */
export const PUSH_KEY = 'data-key';

/** The fields of a subscription. */
export const PUSH_FIELD = { endpoint: 'endpoint', p256dh: 'p256dh', auth: 'auth' } as const;
