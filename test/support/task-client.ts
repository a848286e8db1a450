/** An answer to one message, as the protocol gives it. */
export interface TaskReply {
  readonly result?: Task & Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A task, as far as tests look at it. */
export interface Task {
  readonly resultType: string;
  readonly taskId: string;
  readonly status: string;
  readonly statusMessage?: string;
  readonly result?: {
    readonly isError?: boolean;
    readonly content: readonly { readonly text?: string }[];
    readonly structuredContent?: Readonly<Record<string, unknown>>;
  };
}

const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

interface Message {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Sends one message of the 2026 protocol as it is, with the headers that belong to it. */
export async function dispatch<Reply>(
  { url, token }: { readonly url: string; readonly token: string },
  message: Message,
  signal?: AbortSignal,
): Promise<Reply> {
  const name = message.params.name ?? message.params.taskId;
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': message.method },
      ...(name === undefined ? {} : { 'mcp-name': String(name) }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    ...(signal ? { signal } : {}),
  });
  const text = await response.text();
  return JSON.parse(text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}'));
}

/** A client of 2026 that follows tasks, unless it is told to declare something else. */
export function taskClient(url: string, token: string, capabilities: object = TASKS) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'tests', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const send = (method: string, params: Readonly<Record<string, unknown>>, signal?: AbortSignal) =>
    dispatch<TaskReply>({ url, token }, { method, params: { ...params, _meta } }, signal);
  return {
    send,
    call: (name: string, args: object, signal?: AbortSignal) =>
      send('tools/call', { name, arguments: args }, signal),
    get: (taskId: string) => send('tasks/get', { taskId }),
    cancel: (taskId: string) => send('tasks/cancel', { taskId }),
    update: (taskId: string, inputResponses: object) => send('tasks/update', { taskId, inputResponses }),
  };
}
