import { describe, expect, it } from 'vitest';
import { cardPage } from '../../src/console/cards/card-page.ts';
import { HOST_ORIGINS, sendResult, showCard } from './card-host/card-host.ts';
import { useBrowser } from './visit.ts';

const visit = useBrowser();
const html = cardPage();

describe('a card of a call that runs', () => {
  /** An answer of `waiting_call` about a run that needed no yes. */
  const runs = (more: object = {}) => ({
    content: [],
    structuredContent: {
      state: 'running',
      asked_seconds_ago: 1,
      ran: { call_id: 'call_7', outcome: null, code: null },
      call: { sentence: { who: 'Claude', does: 'run', what: 'npm test', where: ' on mini' } },
      ...more,
    },
  });
  const command = { tool: 'run_in_terminal', args: { command: 'npm test' } };

  it('follows its output in place, so that what somebody selected around it stays', async () => {
    await visit({ origins: HOST_ORIGINS }, async (page, context) => {
      let output = 'one\n';
      const asked: object[] = [];
      const callTool = (_: string, args: object) => {
        asked.push(args);
        return runs({ output });
      };
      const card = await showCard({ page, context }, { html, ...command }, { callTool });
      await card.locator('.live').getByText('one').waitFor();
      await card.getByText('Running').waitFor();
      const heading = await card.locator('h1').elementHandle();
      const box = await card.locator('.live pre').elementHandle();
      output = Array.from({ length: 13 }, (_, i) => `line ${i + 1}\n`).join('');
      await card.locator('.live').getByText('line 13').waitFor();
      expect(await card.locator('.live span').allInnerTexts()).toHaveLength(12);
      expect(await card.locator('.live').getByText('line 1', { exact: true }).count()).toBe(0);
      const isThere = (node: unknown) => (node as Node).isConnected;
      expect([await heading?.evaluate(isThere), await box?.evaluate(isThere)]).toEqual([true, true]);
      expect(asked.slice(0, 2)).toEqual([
        { tool: 'run_in_terminal', arguments: command.args, known: false },
        { call_id: 'call_7', known: true },
      ]);
    });
  });

  it('goes on when the answer said that it still runs, and then shows its end by itself', async () => {
    await visit({ origins: HOST_ORIGINS }, async (page, context) => {
      let ended: Record<string, unknown> | undefined;
      const callTool = (name: string, args: Record<string, unknown>) => {
        if (name === 'get_call') return { content: [], structuredContent: ended };
        if (args.call_id !== 'call_7') return { content: [], structuredContent: { state: 'none' } };
        return ended
          ? runs({ state: 'ended', ran: { call_id: 'call_7', outcome: 'failed', code: null } })
          : runs({ output: 'half way\n' });
      };
      const card = await showCard({ page, context }, { html, ...command }, { callTool });
      const message = 'The call is still running on mini (call call_7).';
      const error = { code: 'still_running', message, call_id: 'call_7' };
      await sendResult(page, { isError: true, content: [], _meta: { 'dev.bowline/error': error } });
      await card.locator('.live').getByText('half way').waitFor();
      ended = { state: 'failed', error: { code: 'command_not_found', message: 'No such command.' } };
      await card.getByText('No such command.').waitFor();
      expect(await card.locator('.live').count()).toBe(0);
    });
  });

  it('says what it is while nobody knows more, with all that a joined tool is sent', async () => {
    await visit({ origins: HOST_ORIGINS }, async (page, context) => {
      const call = { sentence: { who: 'Claude', does: 'use', what: 'notes__look_up', where: ' on mini' } };
      const callTool = () => ({ content: [], structuredContent: { state: 'none', call } });
      const args = { word: 'hawser' };
      const card = await showCard({ page, context }, { html, tool: 'notes__look_up', args }, { callTool });
      await card.getByText('Claude wants to use notes__look_up on mini').waitFor();
      await card.getByText('"word": "hawser"').waitFor();
      await card.getByText('The call is on its way.').waitFor();
    });
  });
});
