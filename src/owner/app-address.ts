/** The schemes of apps that people use, beyond those that are named after a domain. */
const APP_SCHEMES = new Set([
  ...[
    'cursor',
    'vscode',
    'vscode-insiders',
    'vscodium',
    'windsurf',
    'zed',
    'trae',
    'kiro',
    'void',
    'antigravity',
  ],
  ...[
    'claude',
    'chatgpt',
    'codex',
    'raycast',
    'goose',
    'warp',
    'jetbrains',
    'msty',
    'cherrystudio',
    'lmstudio',
  ],
]);

/** A domain backwards. Its first part has no hyphen, but a system's own scheme may: `x-apple.systempreferences:`. */
const DOMAIN_NAMED = /^[a-z]+(\.[a-z0-9-]+)+$/;

/**
 * Gives the scheme of an address that a program on this computer opens (RFC 8252), or `undefined` for an address of the web.
 */
export function programScheme(uri: string): string | undefined {
  const { protocol } = new URL(uri);
  return protocol === 'https:' || protocol === 'http:' ? undefined : protocol.slice(0, -1);
}

/**
 * Tells if a code may be sent to an address. A scheme must be an app's own: behind others, such as `intent:` or
 * `ms-msdt:`, stand programs that act on the text of the address.
 */
export function isAppAddress(uri: string): boolean {
  const scheme = programScheme(uri);
  return scheme === undefined || APP_SCHEMES.has(scheme) || DOMAIN_NAMED.test(scheme);
}
