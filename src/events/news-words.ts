/** A sign of life over a socket between isolates, and its answer. */
export const PING = 'ping';
export const PONG = 'pong';
