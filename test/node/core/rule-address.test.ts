import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../contracts/index.ts';
import { canonicalJson } from '../../../src/core/json.ts';
import { type FieldMatch, type Match, matchesRule, type RuleCall } from '../../../src/gate/rules/rule.ts';

/** A call of a tool that fetches, with its address as the tool's own contract takes it. */
function fetching(address: string, tool: 'web_fetch' | 'fetch_webpage' = 'web_fetch'): RuleCall {
  const contract = Object.values(catalogue).find(({ wireName }) => wireName === tool);
  const args = contract?.input.parse({ url: address });
  return { tool, machine: null, root: null, args: Object(args), canonicalArgs: canonicalJson(args) };
}

const rule = (effect: 'allow' | 'ask' | 'deny', match: Match, tool = 'web_fetch') => ({
  ...{ tool, machine: null, effect, match },
});
const REST = Object.fromEntries(
  ['format', 'start_index', 'whole_page', 'include_links', 'include_images', 'include_raw_html'].map(
    (name) => [name, { any: true } as const],
  ),
);
const on = (url: FieldMatch): Match => ({ kind: 'arguments', fields: { ...REST, url } });
const json = (address: string): Match => ({ kind: 'json', regex: `^\\{[^{}]*"url":"${address}"[^{}]*\\}$` });

describe('a no to an address', () => {
  const HOST = 'https://evil\\.example/[^"]*';
  const oddly = [
    'https://EVIL.example/x',
    'HTTPS://evil.example/x',
    'https://evil.example:443/x',
    'https://evil.example./x',
    'https://somebody@evil.example/x',
    'https://evil.example',
    'https://evil.example?x',
    'https://\u{24d4}vil.example/x',
    'https://evil\u3002example/x',
    'https://%65vil.example/x',
    'https://evil.example\\x',
  ];

  it.each(oddly)('concerns %s as well', (address) => {
    for (const effect of ['deny', 'ask'] as const) {
      expect(matchesRule(rule(effect, on({ regex: `^${HOST}$` })), fetching(address))).toBe(true);
      expect(matchesRule(rule(effect, json(HOST)), fetching(address))).toBe(true);
      const onMachine = rule(effect, on({ regex: `^${HOST}$` }), 'fetch_webpage');
      expect(matchesRule(onMachine, fetching(address, 'fetch_webpage'))).toBe(true);
    }
  });

  it.each([
    'https://evil.example/page#part',
    'https://evil.example/a/../page',
    'https://evil.example/a/%2e%2E/page',
    'https://evil.example/./page',
    'https://evil.example/%70a%67e',
  ])('of one page concerns %s as well', (address) => {
    const no = rule('deny', on({ equals: 'https://evil.example/page' }));
    expect(matchesRule(no, fetching(address))).toBe(true);
  });

  it.each(['https://evil.example', 'https://evil.example/'])('concerns a site, written as %s', (written) => {
    for (const asked of ['https://evil.example', 'https://evil.example/', 'https://EVIL.example#top'])
      expect(matchesRule(rule('deny', on({ equals: written })), fetching(asked))).toBe(true);
  });

  it('concerns the address as it was written, and no other address', () => {
    const loud = rule('deny', on({ regex: '^https://EVIL\\.example/.*$' }));
    expect(matchesRule(loud, fetching('https://EVIL.example/x'))).toBe(true);
    const no = rule('deny', on({ regex: `^${HOST}$` }));
    for (const other of ['https://good.example/x', 'https://evil.example.org/x', 'http://evil.example/x'])
      expect(matchesRule(no, fetching(other))).toBe(false);
  });
});

describe('a yes to some addresses', () => {
  const MINE = 'https://git\\.example/me/[^"]*';

  it.each([
    'https://git.example/me/../them/x',
    'https://git.example/me/%2e%2e/them/x',
    'https://git.example/me/.%2E/them/x',
    'https://git.example/me/..\\them/x',
    'https://git.example/me/./../them',
  ])('is no yes to %s, which leads elsewhere', (address) => {
    expect(matchesRule(rule('allow', on({ regex: `^${MINE}$` })), fetching(address))).toBe(false);
    expect(matchesRule(rule('allow', json(MINE)), fetching(address))).toBe(false);
  });

  it.each([
    'https://git.example/me/x',
    'https://git.example/me/x?y=%2F#z',
    'https://git.example/me/a/../b',
    'https://git.example/me/%7Ea',
    'https://git.example/me/caf\u00e9',
  ])('is one to %s', (address) => {
    expect(matchesRule(rule('allow', on({ regex: `^${MINE}$` })), fetching(address))).toBe(true);
    expect(matchesRule(rule('allow', json(MINE)), fetching(address))).toBe(true);
  });

  it('is one to exactly the address that it names, however that is written', () => {
    for (const address of ['https://Git.example/a/../b', 'https://git.example', 'https://git.example/x#y']) {
      expect(matchesRule(rule('allow', on({ equals: address })), fetching(address))).toBe(true);
    }
    const yes = rule('allow', on({ equals: 'https://git.example/b' }));
    expect(matchesRule(yes, fetching('https://git.example/a/../b'))).toBe(false);
    expect(matchesRule(rule('allow', on({ any: true })), fetching('https://git.example/a/../b'))).toBe(true);
  });
});

it('reads an argument called `url` of a joined server’s tool as any other text', () => {
  const call: RuleCall = {
    ...{ tool: 'shop__read', machine: null, root: null },
    ...{ args: { url: 'https://EVIL.example/x' }, canonicalArgs: '{"url":"https://EVIL.example/x"}' },
  };
  const no = rule(
    'deny',
    { kind: 'arguments', fields: { url: { equals: 'https://evil.example/x' } } },
    'shop__read',
  );
  expect(matchesRule(no, call)).toBe(false);
});
