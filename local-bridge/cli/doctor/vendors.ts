/** The way an app presents itself when it connects. */
export interface Vendor {
  readonly name: string;
  /** The user agent for discovery, registration and tokens. */
  readonly signInAgent: string;
  /** The user agent for the tools. */
  readonly agent: string;
  readonly client: { readonly name: string; readonly version: string };
  readonly protocol: string;
  /** The addresses to which people return after consent. */
  readonly callbacks: readonly string[];
}

/** The user agents that their servers were seen to use. Firewalls tell them apart by these. */
export const VENDORS: readonly Vendor[] = [
  {
    name: 'Claude',
    signInAgent: 'python-httpx/0.28.1',
    agent: 'Claude-User',
    client: { name: 'Anthropic/ClaudeAI', version: '1.0.0' },
    protocol: '2025-11-25',
    callbacks: ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'],
  },
  {
    name: 'ChatGPT',
    signInAgent: 'openai-connectors-oauth/1.0',
    agent: 'openai-mcp/1.0.0 (ChatGPT)',
    client: { name: 'openai-mcp', version: '1.0.0' },
    protocol: '2025-11-25',
    callbacks: [
      'https://chatgpt.com/connector_platform_oauth_redirect',
      'https://chatgpt.com/connector/oauth/bowline',
    ],
  },
];
