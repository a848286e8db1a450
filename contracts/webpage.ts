import * as z from 'zod';
import { told, tool } from './contract.ts';
import { effectErrors, machineErrors } from './door-errors.ts';
import { effectEnvelope, effectInput, firstLine, machineInput } from './machine-fields.ts';
import { fetchErrors, selectorErrors, selectorField, urlField } from './web.ts';
import { formatField } from './web-fetch.ts';

export const fetchWebpage = tool({
  name: 'fetch_webpage',
  title: 'Fetch a web page from a machine',
  description:
    "Fetches a web page over a machine's own network. Use `web_fetch` unless the page answers only there.",
  details:
    'Returns its text as the server sent it. Over 1 MB the text is cut, with a warning; a page that answers with an error status has `success` false. The owner approves each call.',
  runsOn: 'machine',
  group: 'web',
  saidTwice: ['url'],
  // A GET changes nothing by itself, but its address can carry data out of the owner's network.
  risk: 'dangerous',
  approval: 'ask',
  limits: { perMinute: 60, timeoutMs: 65_000 },
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  hasPreview: true,
  input: z.strictObject({
    url: urlField.meta(told('The URL to fetch; it must be http or https.')),
    timeout_seconds: z.int().min(1).max(60).default(10).meta(told('Seconds to wait for the page.')),
    format: formatField
      .optional()
      .meta(told('Readable text, in place of the page as it was sent.', 'Readable, not as sent.')),
    selector: selectorField.optional(),
    ...effectInput,
    ...machineInput,
  }),
  output: effectEnvelope({
    url: z.string().describe('The URL that was asked for.'),
    final_url: z.string().describe('The URL that answered, after redirects.'),
    status_code: z.int().min(100).max(599).describe('The HTTP status of the answer.'),
    content_length: z.int().min(0).describe('Bytes of the page that were read, after decompression.'),
    content_type: z.string().describe('The `Content-Type` of the answer; empty if it has none.'),
    truncated: z.boolean().describe('Whether the page is longer than what was read.'),
  }),
  errors: {
    ...machineErrors,
    ...effectErrors,
    ...fetchErrors,
    ...selectorErrors,
    not_text: {
      status: 415,
      message: 'The page is not text.',
      suggestion: 'Fetch a page of text; PDF files can be read with `web_fetch`.',
    },
  },
  inputErrors: { url: 'invalid_url', selector: 'invalid_selector' },
  examples: [
    {
      about: 'fetches a page',
      input: { url: 'https://example.com' },
      output: {
        success: true,
        output: 'Fetched content from https://example.com (5.2 KB)\n<!doctype html>\n…',
        files_affected: [],
        execution_time_ms: 250,
        metadata: {
          url: 'https://example.com',
          final_url: 'https://example.com/',
          status_code: 200,
          content_length: 5324,
          content_type: 'text/html',
          truncated: false,
        },
      },
      varies: ['output', 'execution_time_ms', 'metadata.content_length', 'metadata.content_type'],
    },
    {
      about: 'fetches the parts of a page that a selector matches',
      input: { url: 'https://example.com', selector: 'h1' },
      output: {
        success: true,
        output: 'Fetched content from https://example.com (5.2 KB)\n# Example Domain',
        files_affected: [],
        execution_time_ms: 250,
        metadata: {
          url: 'https://example.com',
          final_url: 'https://example.com/',
          status_code: 200,
          content_length: 5324,
          content_type: 'text/html',
          truncated: false,
        },
      },
      varies: ['output', 'execution_time_ms', 'metadata.content_length', 'metadata.content_type'],
    },
  ],
  cut: { fields: ['output'], rest: 'Ask `get_call` for the rest, with the call id and an `offset`.' },
  headline: firstLine,
});
