/** Begins the names of Bowline's own values in the `_meta` of MCP. */
export const META = 'dev.bowline';

/** Names the failure of a call in its result's `_meta`: code, message and suggestion. */
export const ERROR_META = `${META}/error`;

/** Names the approval that a call waits for in its result's `_meta`: its code, and the address of its page. */
export const WAITING_META = `${META}/waiting`;
