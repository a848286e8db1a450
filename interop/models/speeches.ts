import type { Heard, Speech } from './scripted-model.ts';

const CALL = 'call_1';

/** Anthropic's Messages, streamed. */
export const messages: Speech = {
  path: '/v1/messages',
  isAnswered: ({ messages: all }) => JSON.stringify(all).includes('"tool_result"'),
  say: (call, { model, tools }) => {
    // Agents ask models for other things as well, such as a title, and give them no tools then.
    const isCalled = call && listOf(tools).some(({ name }) => name === call.tool);
    const usage = { input_tokens: 1, output_tokens: 1 };
    const start = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], usage };
    const block = isCalled
      ? { type: 'tool_use', id: CALL, name: call.tool, input: {} }
      : { type: 'text', text: '' };
    const delta = isCalled
      ? { type: 'input_json_delta', partial_json: JSON.stringify(call.args) }
      : { type: 'text_delta', text: 'Done.' };
    return [
      { type: 'message_start', message: { ...start, stop_reason: null, stop_sequence: null } },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: isCalled ? 'tool_use' : 'end_turn', stop_sequence: null },
        usage,
      },
      { type: 'message_stop' },
    ];
  },
};

/** OpenAI's Responses, streamed. A tool of a server is named after its namespace and a slash. */
export const responses: Speech = {
  path: '/v1/responses',
  isAnswered: ({ input }) => JSON.stringify(input).includes('"function_call_output"'),
  say: (call) => {
    const [name = '', namespace] = (call?.tool ?? '').split('/').toReversed();
    const item = call
      ? {
          type: 'function_call',
          call_id: CALL,
          name,
          ...(namespace === undefined ? {} : { namespace }),
          arguments: JSON.stringify(call.args),
        }
      : {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Done.' }],
        };
    const usage = {
      input_tokens: 1,
      input_tokens_details: null,
      output_tokens: 1,
      output_tokens_details: null,
    };
    return [
      { type: 'response.created', response: { id: 'resp_1' } },
      { type: 'response.output_item.done', item },
      { type: 'response.completed', response: { id: 'resp_1', usage: { ...usage, total_tokens: 2 } } },
    ];
  },
};

/** Gives the objects of a list in a request. */
export function listOf(value: unknown): readonly Heard[] {
  return Array.isArray(value) ? (value as Heard[]) : [];
}
