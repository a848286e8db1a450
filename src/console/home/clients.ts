/** The steps to tell one app about this gateway. */
export interface Client {
  readonly id: string;
  readonly name: string;
  readonly steps: readonly string[];
  /** The text to paste or run, and its name. */
  readonly copy: { readonly text: string; readonly label: string } | undefined;
  /** The file that holds the text above, if it is one. */
  readonly file?: string;
  /** A link that opens the app and fills in the text there. */
  readonly link?: { readonly href: string; readonly text: string };
  /** True if the app calls from another place than this computer. */
  readonly needsPublic: boolean;
}

const NAME = 'bowline';

/** Lists every app whose steps we know, for the gateway at that address. */
export function clientsFor(mcpUrl: string): readonly Client[] {
  const config = { url: mcpUrl };
  const cursorConfig = Buffer.from(JSON.stringify(config)).toString('base64');
  const vscodeServer = { type: 'http', url: mcpUrl };
  return [
    {
      id: 'claude',
      name: 'Claude',
      steps: [
        'On claude.ai or in the desktop app, open Settings, then Connectors.',
        'Choose “Add custom connector”, name it Bowline, and paste the address.',
        'Choose “Connect”. Your Bowline opens; sign in and say what Claude may do.',
        'In a chat, switch Bowline on under the tools menu. It works in the phone app too.',
      ],
      copy: { text: mcpUrl, label: 'the address for Claude' },
      needsPublic: true,
    },
    {
      id: 'chatgpt',
      name: 'ChatGPT',
      steps: [
        'On chatgpt.com, open Settings, then Apps & Connectors, then Advanced settings, and switch on developer mode.',
        'Back under Apps & Connectors, choose “Create”, name it Bowline, and paste the address. Leave OAuth as it is.',
        'ChatGPT opens your Bowline; sign in and say what it may do.',
        'In a chat, add Bowline from the + menu. Deep research uses its search and fetch tools.',
      ],
      copy: { text: mcpUrl, label: 'the address for ChatGPT' },
      needsPublic: true,
    },
    {
      id: 'claude-code',
      name: 'Claude Code',
      steps: [
        'In a terminal, run the command below; it adds Bowline for all your projects.',
        'Start claude, type /mcp, choose bowline and “Authenticate”. Your browser opens your Bowline.',
      ],
      copy: {
        text: `claude mcp add --transport http --scope user ${NAME} ${mcpUrl}`,
        label: 'the command for Claude Code',
      },
      needsPublic: false,
    },
    {
      id: 'cursor',
      name: 'Cursor',
      steps: [
        'Use the link, or put the text below into the file.',
        'In Cursor’s settings under MCP, Bowline asks to be signed in to. Your browser opens your Bowline.',
      ],
      copy: { text: pretty({ mcpServers: { [NAME]: config } }), label: 'the settings for Cursor' },
      file: '~/.cursor/mcp.json',
      link: {
        href: `cursor://anysphere.cursor-deeplink/mcp/install?name=${NAME}&config=${encodeURIComponent(cursorConfig)}`,
        text: 'Add to Cursor',
      },
      needsPublic: false,
    },
    {
      id: 'vscode',
      name: 'VS Code',
      steps: [
        'Use the link, or put the text below into the file; “MCP: Open User Configuration” opens the one for all projects.',
        'Start the server from the file or with “MCP: List Servers”. VS Code asks to sign in, and your browser opens your Bowline.',
      ],
      copy: { text: pretty({ servers: { [NAME]: vscodeServer } }), label: 'the settings for VS Code' },
      file: '.vscode/mcp.json',
      link: {
        href: `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: NAME, ...vscodeServer }))}`,
        text: 'Add to VS Code',
      },
      needsPublic: false,
    },
  ];
}

/** Tells if only this computer can reach an origin, so that apps elsewhere cannot. */
export function isLocal(origin: string): boolean {
  const { hostname } = new URL(origin);
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname) || hostname.endsWith('.localhost');
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
