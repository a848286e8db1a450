import type { StepName } from './steps.ts';

/** A client that is tried, by what can be said of it without loading it. */
export interface Candidate {
  /** The package it comes in. */
  readonly package: string;
  /** How it is used. */
  readonly how: string;
  /** Which of the product's servers it is held against. */
  readonly against: 'gateway' | 'stdio';
  /** Refused, it starts to sign in, in a browser. */
  readonly signsIn?: true;
  /** It declines every question of a server by itself, so that no call of its is held. */
  readonly declines?: true;
  /** It follows a call that waits as a task, until the owner has decided. */
  readonly followsTasks?: true;
  /** What is to be known about a step, said under the table. */
  readonly notes?: Partial<Record<StepName, string>>;
}

const IN_A_TERMINAL =
  'The person is at this computer and decides in a terminal; the call waits, and then says how.';
const TOOLS_ALONE = '`bowline mcp` serves tools alone.';
const HERE = 'No token is asked for: whoever starts `bowline mcp` is the one at this computer.';
const NO_PERSON =
  'It answers no questions of a server; the call waits instead, and then says where to decide.';
const WORDS_ALONE = 'Its model is given the words of an answer alone.';
const INPUTS_ALONE = 'Its model is shown the arguments alone, not the answers.';
const TYPED = 'Not tried: a person types them, as commands.';
const A_PROCESS_A_CALL = 'Each call is a process, which is ended like any other.';

/** By the name it has on the command line, in the table's order. */
export const catalogue = {
  'sdk-2': {
    package: '@modelcontextprotocol/client',
    how: 'an app that opens addresses',
    against: 'gateway',
  },
  'sdk-2-legacy': {
    package: '@modelcontextprotocol/client',
    how: 'held to the 2025 protocol',
    against: 'gateway',
  },
  'sdk-1': {
    package: '@modelcontextprotocol/sdk',
    how: 'over HTTP',
    against: 'gateway',
  },
  'sdk-1-stdio': {
    package: '@modelcontextprotocol/sdk',
    how: 'with `bowline mcp` as its child',
    against: 'stdio',
    notes: {
      asked: IN_A_TERMINAL,
      resources: TOOLS_ALONE,
      prompts: TOOLS_ALONE,
      megabyte: TOOLS_ALONE,
      refused: HERE,
    },
  },
  inspector: {
    package: '@modelcontextprotocol/inspector',
    how: 'its command line, `--protocol-era modern`',
    against: 'gateway',
    followsTasks: true,
    notes: {
      asked: NO_PERSON,
      later: 'It follows its call as a task until the owner has decided, so it is not told to come back.',
      cancel: A_PROCESS_A_CALL,
    },
  },
  'inspector-legacy': {
    package: '@modelcontextprotocol/inspector',
    how: 'its command line, `--protocol-era legacy`',
    against: 'gateway',
    notes: { asked: NO_PERSON, cancel: A_PROCESS_A_CALL },
  },
  'mcp-remote': {
    package: 'mcp-remote',
    how: 'between the gateway and a client of stdio',
    against: 'gateway',
    signsIn: true,
    notes: {
      cancel:
        'It says so in a message, as over stdio, and keeps its request open, where the 2026 protocol wants it to leave. A held call is then answered after 40 seconds, and a command runs to its end.',
      refused: 'Refused, it starts to sign in, which is tried apart (below).',
    },
  },
  supergateway: {
    package: 'supergateway',
    how: 'between the gateway and a client of stdio',
    against: 'gateway',
    notes: {
      asked:
        'The client behind it is never asked, though it could be; the call waits instead, and then says where to decide.',
      refused: 'It ends, and its log says why.',
    },
  },
  'ai-sdk': {
    package: '@ai-sdk/mcp',
    how: 'the tools it makes for `ai`',
    against: 'gateway',
    notes: {
      asked:
        'By a form that names the page: it takes no other questions. If an app says that it opens addresses, this package fails the call, so such an app should say `elicitation: { form: {} }` alone.',
    },
  },
  'openai-agents': {
    package: '@openai/agents',
    how: 'its `MCPServerStreamableHttp`',
    against: 'gateway',
    notes: { asked: NO_PERSON, prompts: 'Its server object has no prompts.' },
  },
  langchain: {
    package: '@langchain/mcp-adapters',
    how: 'the tools it makes for agents',
    against: 'gateway',
    notes: {
      schemas:
        'It rewrites schemas for models: answers lose theirs, and of an argument that may be one thing or another (`entry` of `write_memory_entry`) only the first is left.',
      code: 'An error is an exception with the words alone.',
      asked: NO_PERSON,
      long: 'It hands the model every answer twice, as text and as data, so that 150,000 characters become 300,000.',
    },
  },
  'claude-code': {
    package: '@anthropic-ai/claude-code',
    how: '`claude -p`, with a scripted model',
    against: 'gateway',
    notes: {
      schemas: INPUTS_ALONE,
      structured: WORDS_ALONE,
      code: WORDS_ALONE,
      asked:
        'Without a terminal it cancels the question by itself; the call waits instead, and then says where to decide.',
      prompts: TYPED,
      long: 'It keeps a long answer in a file, and gives its model the name of the file.',
      megabyte: 'As with a long answer.',
    },
  },
  codex: {
    package: '@openai/codex',
    how: '`codex exec`, with a scripted model',
    against: 'gateway',
    declines: true,
    notes: {
      schemas: `${INPUTS_ALONE} It leaves out their defaults.`,
      structured: WORDS_ALONE,
      code: WORDS_ALONE,
      held: 'Without a terminal it declines the question by itself, and is told at once where to decide.',
      asked: 'As above.',
      prompts: 'Not tried.',
      long: 'It cuts what its model is given to about 7,000 characters.',
      megabyte: 'As with a long answer.',
      cancel: 'None of its calls waits, so there is none to cancel.',
    },
  },
} as const satisfies Record<string, Candidate>;

export type Key = keyof typeof catalogue;
