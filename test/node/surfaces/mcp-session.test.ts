import { describe, expect, it } from 'vitest';
import { sessionsSignedWith } from '../../../src/surfaces/mcp-session.ts';
import { stateKey } from '../../support/mcp-endpoint.ts';

const sessions = sessionsSignedWith(stateKey);
const saying = (capabilities: unknown) => ({ method: 'initialize', params: { capabilities } });
const nothing = { url: false, form: false, sampling: false, roots: false };

describe('the session id of a 2025 client', () => {
  it.each([
    [{ elicitation: { url: {} } }, { url: true }],
    [{ elicitation: {} }, { form: true }],
    [
      { elicitation: { url: {}, form: {} }, sampling: {}, roots: {} },
      { url: true, form: true, sampling: true, roots: true },
    ],
    [{}, {}],
    [undefined, {}],
    ['x', {}],
  ])('carries what %j says', (capabilities, askable) => {
    const id = sessions.begin('ada', saying(capabilities));
    expect(id).toMatch(/^[\x21-\x7e]+$/);
    expect(sessions.read(id, 'ada')).toEqual({
      name: expect.stringMatching(/^[\w-]{22}$/),
      askable: { ...nothing, ...askable },
      cards: false,
    });
    expect(sessions.claimsCards(id)).toBe(false);
  });

  it.each([
    [{}, false],
    [{ elicitation: { url: {} } }, true],
  ])('says that the client shows cards, beside what it can be asked: %j', (more, asks) => {
    const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
    const id = sessions.begin('ada', saying({ ...more, extensions }));
    expect(sessions.read(id, 'ada')).toMatchObject({ cards: true, askable: { ...nothing, url: asks } });
    expect(sessions.claimsCards(id)).toBe(true);
    expect(sessions.claimsAskable(id)).toBe(asks);
    expect(sessions.read(id.replace(/^1\.(u?)c/, '1.$1'), 'ada')).toBeUndefined();
  });

  it('tells clients apart that say the same', () => {
    const [one, other] = [1, 2].map(() => sessions.read(sessions.begin('ada', saying({})), 'ada'));
    expect(one?.name).not.toBe(other?.name);
  });

  const id = sessions.begin('ada', saying({}));
  it.each([
    ['none', null],
    ['an empty one', ''],
    ['one of another server', 'b3b1a0f0-0000-4000-8000-000000000000'],
    ['one with more rights than were signed', id.replace('1..', '1.u.')],
    ['one that claims cards that were not signed', id.replace('1..', '1.c.')],
    ['one with another end', `${id.slice(0, -2)}${id.endsWith('AA') ? 'BB' : 'AA'}`],
    ['one with something behind it', `${id}.x`],
    ['one that another key signed', sessionsSignedWith(`${stateKey}2`).begin('ada', saying({}))],
    ['one that was made for somebody else', sessions.begin('bob', saying({}))],
  ])('is worth nothing if it is %s', (_, sent) => {
    expect(sessions.read(sent, 'ada')).toBeUndefined();
  });
});
