import { expect, it } from 'vitest';
import { fetchWebpage } from '../../../contracts/webpage.ts';
import { webpageHandlers } from '../../../local-bridge/tools/handlers/webpage.ts';
import { webpagePreviews } from '../../../local-bridge/tools/handlers/webpage-preview.ts';
import { toolSet } from '../../../src/core/tools.ts';
import { pdfOf } from '../../support/pdf.ts';
import { startedPrograms } from '../../support/started-programs.ts';
import { everyone, failureIn, WatchedDoor } from '../../support/tools.ts';

it('reads a fetched PDF in a program of its own, which has ended before the answer', async () => {
  const info = '<< /Title (Tides) /Author (Ana Ruiz) >>';
  const web = {
    fetch: async (request: Request | string | URL) => {
      const isBroken = String(request instanceof Request ? request.url : request).endsWith('broken');
      const pdf = isBroken ? Buffer.from('%PDF-1.7 nothing') : pdfOf(['High water at four'], info);
      return new Response(new Uint8Array(pdf), { headers: { 'content-type': 'application/pdf' } });
    },
    rule: () => undefined,
  };
  const tool = toolSet(
    { fetch_webpage: fetchWebpage },
    webpageHandlers,
    new WatchedDoor(),
    { web },
    webpagePreviews,
  ).get('fetch_webpage');
  if (!tool) throw new Error('there is no fetch_webpage');
  const programs = startedPrograms();
  const read = await tool.call({ url: 'https://harbour.example/tides.pdf', format: 'markdown' }, everyone);
  expect(read).toMatchObject({
    output: { output: expect.stringMatching(/# Tides\n\nBy Ana Ruiz\n\nHigh water at four$/) },
  });
  const broken = await tool.call({ url: 'https://harbour.example/broken', format: 'text' }, everyone);
  expect(failureIn(broken).message).toBe('The PDF is damaged and cannot be opened.');
  expect(programs.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
});
