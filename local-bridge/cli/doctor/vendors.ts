/** How an app presents itself when it connects. */
export interface Vendor {
  readonly name: string;
  /** What discovery, registration and tokens are asked for with. */
  readonly signInAgent: string;
  /** What the tools are asked for with. */
  readonly agent: string;
  readonly client: { readonly name: string; readonly version: string };
  readonly protocol: string;
  /** Where it has people sent back to after consent. */
  readonly callbacks: readonly string[];
}

/** As their servers are seen to ask. Firewalls that tell them apart do so by these names. */
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
