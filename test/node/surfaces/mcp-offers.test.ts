import { acceptedContent, inputRequired } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { doorFailure } from '../../../src/core/failure.ts';
import { prompt, type ResourceSource } from '../../../src/surfaces/mcp-offers.ts';
import { endpoint, stateKey } from '../../support/mcp-endpoint.ts';

const note = (uri: string) => ({ uri, name: uri, mimeType: 'text/plain' });
const notes: ResourceSource = {
  prefix: 'notes://',
  templates: [
    {
      uriTemplate: 'notes://{day}',
      name: 'day',
      title: 'A day',
      description: 'The notes of one day.',
      complete: { day: (typed) => Array.from({ length: 120 }, (_, day) => `${typed}${day}`) },
    },
  ],
  list: (cursor) =>
    cursor === 'more'
      ? { resources: [note('notes://2')] }
      : { resources: [note('notes://1')], nextCursor: 'more' },
  read(uri, { answers }) {
    if (uri === 'notes://1') return [{ uri, text: 'one' }];
    if (uri === 'notes://busy') return { kind: 'failed', failure: doorFailure('rate_limited') };
    if (uri === 'notes://torn')
      return { kind: 'failed', failure: { ...doorFailure('unknown_tool'), message: 'Torn out.' } };
    if (uri === 'notes://odd') return { kind: 'failed', failure: doorFailure('invalid_input') };
    if (uri === 'notes://slow') return { kind: 'failed', failure: doorFailure('timeout') };
    if (uri === 'notes://broken') throw new Error('the password is 1234');
    if (uri !== 'notes://locked') return undefined;
    const key = acceptedContent(answers?.responses, 'key', z.object({ word: z.string() }));
    if (key) return [{ uri, text: `opened with ${key.word} after ${answers?.state}` }];
    const requestedSchema = z.object({ word: z.string() });
    const requests = { key: inputRequired.elicit({ message: 'The word?', requestedSchema }) };
    return { kind: 'needs_input', requests, state: 'knocking' };
  },
};
const repo: ResourceSource = {
  prefix: 'repo://',
  list: () => ({ resources: [note('repo://README.md')] }),
  read: (uri) => [{ uri, text: 'read me' }],
};
const greeting = prompt({
  name: 'greet',
  title: 'Greet',
  description: 'Greets somebody.',
  arguments: { name: { description: 'Whom.', required: true }, tone: { description: 'How.' } },
  messages: ({ name, tone = 'kindly' }) => [
    { role: 'user', content: { type: 'text', text: `Greet ${name} ${tone}.` } },
  ],
});

describe('an endpoint with nothing but tools', () => {
  const send = endpoint({});

  it('claims neither resources nor prompts nor completions', async () => {
    const { result } = await send('server/discover');
    expect(result?.capabilities).toEqual({ tools: {} });
  });

  it.each(['resources/list', 'resources/read', 'prompts/list', 'completion/complete'])(
    'does not know %s',
    async (method) => {
      const params = {
        uri: 'notes://1',
        ref: { type: 'ref/prompt', name: 'x' },
        argument: { name: 'a', value: '' },
      };
      expect((await send(method, params, { era: 2025 })).error?.code).toBe(-32601);
    },
  );
});

describe('resources', () => {
  const send = endpoint({ resources: [notes, repo], announces: true, stateKey });

  it('are claimed, with completions, because one template has them', async () => {
    const { result } = await send('server/discover');
    expect(result?.capabilities).toEqual({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      completions: {},
    });
  });

  it('are listed source by source, a page at a time', async () => {
    const first = await send('resources/list');
    expect(first.result).toMatchObject({ resources: [note('notes://1')], nextCursor: '0:more' });
    const second = await send('resources/list', { cursor: '0:more' });
    expect(second.result?.resources).toEqual([note('notes://2'), note('repo://README.md')]);
    expect(second.result).not.toHaveProperty('nextCursor');
    const last = await send('resources/list', { cursor: '1:' });
    expect(last.result?.resources).toEqual([note('repo://README.md')]);
  });

  it('refuse a cursor they did not give out', async () => {
    expect((await send('resources/list', { cursor: 'abc' })).error?.code).toBe(-32602);
  });

  it('list their templates without what only the server uses', async () => {
    const { result } = await send('resources/templates/list');
    expect(result?.resourceTemplates).toEqual([
      { uriTemplate: 'notes://{day}', name: 'day', title: 'A day', description: 'The notes of one day.' },
    ]);
  });

  it.each([2026, 2025])('are read by address (%i)', async (era) => {
    const { result } = await send('resources/read', { uri: 'repo://README.md' }, { era });
    expect(result?.contents).toEqual([{ uri: 'repo://README.md', text: 'read me' }]);
  });

  it.each([
    [2026, 'notes://none'],
    [2026, 'elsewhere://1'],
    [2025, 'notes://none'],
    [2025, 'elsewhere://1'],
  ])('that are not there are said to be (%i, %s)', async (era, uri) => {
    const { error } = await send('resources/read', { uri }, { era });
    expect(error).toMatchObject({ code: -32602, data: { uri } });
  });

  it.each([2026, 2025])('that a tool says are not there are said to be, in its words (%i)', async (era) => {
    const uri = 'notes://torn';
    const { error } = await send('resources/read', { uri }, { era });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('Torn out.') });
    // Clients know "not found" by data that holds the address and nothing else.
    expect(error?.data).toEqual({ uri });
  });

  it('pass on a failure whole', async () => {
    const { error } = await send('resources/read', { uri: 'notes://busy' });
    expect(error?.code).toBe(-32600);
    expect(error?.message).toContain('Too many calls');
    expect(error?.data).toMatchObject({ 'dev.bowline/error': { code: 'rate_limited', http_status: 429 } });
    expect((await send('resources/read', { uri: 'notes://slow' })).error?.code).toBe(-32603);
    expect((await send('resources/read', { uri: 'notes://odd' })).error?.code).toBe(-32602);
  });

  it('keep the text of an exception to the log', async () => {
    const reported: unknown[] = [];
    const report = (error: unknown) => void reported.push(error);
    const { error } = await endpoint({ resources: [notes], report })('resources/read', {
      uri: 'notes://broken',
    });
    expect(error?.code).toBe(-32603);
    expect(JSON.stringify(error)).not.toContain('1234');
    expect(String(reported[0])).toContain('1234');
  });

  it('may ask before they answer', async () => {
    const params = { uri: 'notes://locked' };
    const { result } = await send('resources/read', params);
    expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) });
    const inputResponses = { key: { action: 'accept', content: { word: 'sesame' } } };
    const again = await send('resources/read', {
      ...params,
      inputResponses,
      requestState: result?.requestState,
    });
    expect(again.result?.contents).toMatchObject([{ text: 'opened with sesame after knocking' }]);
  });

  it('acknowledge a subscription of 2025, and only to what could be there', async () => {
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      expect((await send(method, { uri: 'notes://1' }, { era: 2025 })).result).toEqual({});
      expect((await send(method, { uri: 'elsewhere://1' }, { era: 2025 })).error?.code).toBe(-32602);
    }
  });

  it('complete a variable, a hundred values at most', async () => {
    const params = {
      ref: { type: 'ref/resource', uri: 'notes://{day}' },
      argument: { name: 'day', value: '1' },
    };
    const { result } = await send('completion/complete', params);
    expect(result?.completion).toMatchObject({ total: 120, hasMore: true });
    expect(result).toHaveProperty('completion.values.length', 100);
  });

  it('complete nothing that objects only inherit', async () => {
    const argument = { name: 'constructor', value: 'x' };
    const params = { ref: { type: 'ref/resource', uri: 'notes://{day}' }, argument };
    expect((await send('completion/complete', params)).result?.completion).toEqual({ values: [] });
  });

  it('say which template was probably meant', async () => {
    const params = {
      ref: { type: 'ref/resource', uri: 'notes://{days}' },
      argument: { name: 'day', value: '' },
    };
    const { error } = await send('completion/complete', params);
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('notes://{day}') });
  });
});

describe('prompts', () => {
  const send = endpoint({ prompts: [greeting], resources: [notes] });

  it('are listed with their arguments', async () => {
    const { result } = await send('prompts/list');
    const args = [
      { name: 'name', description: 'Whom.', required: true },
      { name: 'tone', description: 'How.', required: false },
    ];
    expect(result?.prompts).toEqual([
      { name: 'greet', title: 'Greet', description: 'Greets somebody.', arguments: args },
    ]);
  });

  it('cannot share a name', () => {
    expect(() => endpoint({ prompts: [greeting, greeting] })).toThrow('share a name');
  });

  it('are filled in', async () => {
    const { result } = await send('prompts/get', { name: 'greet', arguments: { name: 'Ada' } });
    expect(result?.messages).toMatchObject([{ content: { text: 'Greet Ada kindly.' } }]);
  });

  it.each([
    [{ name: 'great', arguments: {} }, 'Did you mean greet?'],
    [{ name: 'greet', arguments: {} }, 'needs the argument `name`'],
    [{ name: 'greet', arguments: { name: 'Ada', tune: 'sweetly' } }, 'Did you mean tone?'],
  ])('refuse %j', async (params, words) => {
    const { error } = await send('prompts/get', params);
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(words) });
  });

  it('suggest nothing where there is nothing to suggest', async () => {
    const params = { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 'A' } };
    expect((await send('completion/complete', params)).result?.completion).toEqual({ values: [] });
  });
});
