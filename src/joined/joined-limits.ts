/** The time that a server has to greet and list its tools. */
export const GREETING_MS = 10_000;
/** The time that a call of a joined tool may take. */
export const JOINED_TIMEOUT_MS = 60_000;
/** The deepest value. Deeper ones are useless to a model, and a trap for code that walks through them. */
export const MAX_VALUE_DEPTH = 40;
/** The most tools of one server that are checked. */
export const MAX_TOOLS = 128;
