import * as z from 'zod';
import { visible } from '../../../src/core/visible.ts';
import type { Answer, Answered } from './ask.ts';
import { type Finding, failed, ok, skipped } from './finding.ts';
import { initializeParams } from './sign-in.ts';
import type { Subject } from './subject.ts';
import { troubleOnTheWay } from './trouble.ts';
import type { Vendor } from './vendors.ts';

/** Claude refuses the whole connector if one name does not match. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** Claude leaves larger input schemas out without a word. */
export const MAX_SCHEMA_BYTES = 16 * 1024;
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];
const MAX_PAGES = 20;

const initialized = z.looseObject({ result: z.looseObject({ protocolVersion: z.string() }) });
const toolShape = z.looseObject({
  name: z.string(),
  inputSchema: z.looseObject({ type: z.string().optional() }).optional(),
  annotations: z.looseObject({}).optional(),
});
type Listed = z.infer<typeof toolShape>;
const listed = z.looseObject({
  result: z.looseObject({ tools: z.array(toolShape), nextCursor: z.string().optional() }),
});

/** Opens MCP and lists the tools, like an app that has been let in. */
export async function* toolChecks(subject: Subject, vendor: Vendor): AsyncGenerator<Finding> {
  if (subject.token === undefined) {
    yield skipped(
      'tools',
      'not checked without a sign-in',
      'Run `bowline login` first, or set BOWLINE_TOKEN or BOWLINE_OWNER_KEY.',
    );
    return;
  }
  const opened = await checkInitialize(subject, vendor);
  yield opened.finding;
  if (!opened.session) return;
  const list = await checkList(subject, vendor, opened.session);
  yield list.finding;
  if (!list.tools) return;
  yield checkNames(list.tools);
  yield checkSchemas(list.tools);
  yield checkHints(list.tools);
}

/** The headers of every request after the first. */
type SessionHeaders = Record<string, string>;

function send(subject: Subject, vendor: Vendor, message: object, more: SessionHeaders = {}): Promise<Answer> {
  return subject.ask(`${subject.url}/mcp`, {
    method: 'POST',
    headers: {
      'user-agent': vendor.agent,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${subject.token}`,
      ...more,
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
}

async function checkInitialize(
  subject: Subject,
  vendor: Vendor,
): Promise<{ finding: Finding; session?: SessionHeaders }> {
  const check = 'initialize';
  const answer = await send(subject, vendor, {
    id: 1,
    method: 'initialize',
    params: initializeParams(vendor),
  });
  const trouble = troubleOnTheWay(answer, vendor.agent, subject.budgetMs);
  if (trouble) return { finding: failed(check, trouble.found, trouble.cure) };
  const { status, headers, json, ms } = answer as Answered;
  if (status === 401) return { finding: failed(check, ...tokenRefused(headers)) };
  const said = initialized.safeParse(json);
  if (!said.success) {
    const cure = 'See that /mcp reaches the Worker; `npx wrangler tail` shows what it says.';
    return { finding: failed(check, `It answers ${status}, but not as MCP does.`, cure) };
  }
  const { protocolVersion } = said.data.result;
  const id = headers.get('mcp-session-id');
  const session = { 'mcp-protocol-version': protocolVersion, ...(id ? { 'mcp-session-id': id } : {}) };
  await send(subject, vendor, { method: 'notifications/initialized' }, session);
  return { finding: ok(check, `MCP ${protocolVersion}, ${ms} ms`), session };
}

function tokenRefused(headers: Headers): [found: string, cure: string] {
  const challenge = headers.get('www-authenticate') ?? '';
  // A gateway that sees a token says that it is invalid.
  if (/resource_metadata=/.test(challenge) && !/error="/.test(challenge)) {
    return [
      'The gateway gets the request without its Authorization header.',
      'Something in front of the gateway removes it: a proxy, or a sign-in of its own. Let the header Authorization through for /mcp.',
    ];
  }
  const why = /error_description="([^"]*)"/.exec(challenge)?.[1];
  return [
    `The token is refused: ${visible(why ?? 'it expired, was revoked, or is for another gateway', 200)}.`,
    'Sign in again with `bowline login`, or make another token with `bowline token create`. In Claude or ChatGPT, disconnect and connect again.',
  ];
}

async function checkList(
  subject: Subject,
  vendor: Vendor,
  session: SessionHeaders,
): Promise<{ finding: Finding; tools?: Listed[] }> {
  const check = 'tool list';
  const tools: Listed[] = [];
  let cursor: string | undefined;
  let pages = 0;
  const began = performance.now();
  do {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await send(
      subject,
      vendor,
      { id: 2 + pages, method: 'tools/list', params },
      { ...session, accept: 'application/json, text/event-stream' },
    );
    const trouble = troubleOnTheWay(answer, vendor.agent, subject.budgetMs);
    if (trouble) return { finding: failed(check, trouble.found, trouble.cure) };
    const said = listed.safeParse((answer as Answered).json);
    if (!said.success) {
      const found = `No list of tools comes back (${(answer as Answered).status}).`;
      return { finding: failed(check, found, 'See what `npx wrangler tail` says while you run this again.') };
    }
    tools.push(...said.data.result.tools);
    cursor = said.data.result.nextCursor;
  } while (cursor !== undefined && ++pages < MAX_PAGES);
  if (tools.length === 0) {
    const cure =
      'A token without scopes sees no tools. Make one with `bowline token create --scopes read,machine`.';
    return { finding: failed(check, 'The list is empty.', cure) };
  }
  return { finding: ok(check, `${tools.length} tools, ${Math.round(performance.now() - began)} ms`), tools };
}

function checkNames(tools: readonly Listed[]): Finding {
  const wrong = tools.filter(({ name }) => !NAME.test(name));
  const names = wrong.map(({ name }) => visible(name, 80)).join(', ');
  if (wrong.length > 0) {
    return failed(
      'tool names',
      `Claude refuses every tool because of ${names}. A name may have letters, digits, _ and -, 64 characters at most.`,
      `Take ${wrong.length === 1 ? 'it' : 'them'} off the list: forbid ${wrong.length === 1 ? 'it' : 'them'} for the server that was joined, or ask its author for another name.`,
    );
  }
  const seen = new Set<string>();
  const twice = tools.find(({ name }) => seen.size === seen.add(name).size);
  return twice
    ? failed(
        'tool names',
        `${twice.name} is listed twice.`,
        'Join the server that has it under another name.',
      )
    : ok('tool names', 'all fit');
}

function checkSchemas(tools: readonly Listed[]): Finding {
  const check = 'tool schemas';
  const sized = tools.map(({ name, inputSchema }) => ({
    name: visible(name, 80),
    bytes: Buffer.byteLength(JSON.stringify(inputSchema ?? null)),
    isObject: inputSchema?.type === 'object',
  }));
  const large = sized.filter(({ bytes }) => bytes >= MAX_SCHEMA_BYTES);
  if (large.length > 0) {
    const what = large.map(({ name, bytes }) => `${name} (${Math.ceil(bytes / 1024)} KB)`).join(', ');
    const cure = 'Forbid it for the joined server, or ask its author for a smaller schema.';
    return failed(check, `Claude leaves out schemas of 16 KB and more: ${what}.`, cure);
  }
  const odd = sized.find(({ isObject }) => !isObject);
  if (odd) {
    const cure = 'Forbid the tool of the joined server. Its author has to fix it.';
    return failed(check, `The input of ${odd.name} is not an object. Apps refuse that.`, cure);
  }
  const largest = Math.max(...sized.map(({ bytes }) => bytes));
  return ok(check, `the largest has ${(largest / 1024).toFixed(1)} KB of 16`);
}

function checkHints(tools: readonly Listed[]): Finding {
  const check = 'tool hints';
  const bare = tools.filter(({ annotations }) =>
    HINTS.some((hint) => typeof annotations?.[hint] !== 'boolean'),
  );
  if (bare.length === 0) return ok(check, 'all present');
  const names = bare.slice(0, 5).map(({ name }) => visible(name, 80));
  const more = bare.length > 5 ? ` and ${bare.length - 5} more` : '';
  return failed(
    check,
    `${names.join(', ')}${more} lack hints, so ChatGPT considers them dangerous and asks every time.`,
    'Upgrade the gateway with `bowline deploy`. Grade the tools of a joined server yourself.',
  );
}
