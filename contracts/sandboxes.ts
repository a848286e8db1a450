/** What a machine's commands run in: a sandbox, nothing that keeps them apart, or nothing because no command runs. */
export const SANDBOXES = ['bubblewrap', 'sandbox-exec', 'none', 'off'] as const;
export type Sandbox = (typeof SANDBOXES)[number];
