import type { Risk } from '../../contracts/contract.ts';
import type { Sql } from '../storage/sql.ts';
import type { Conformity, LeftOut, ServerTool } from './conform.ts';
import { proposedBy } from './hints.ts';
import { joinedName } from './names.ts';
import { clashOf } from './server-clash.ts';
import { secretOf } from './server-secrets.ts';

/** A joined server, as the owner sees it. */
export interface ServerView {
  readonly name: string;
  /** The address where the gateway reaches it; `null` if a machine started it. */
  readonly url: string | null;
  readonly machine: string | null;
  readonly allow: readonly string[] | null;
  readonly addedAt: number;
  readonly checkedAt: number | null;
  readonly problem: string | null;
  /** The way in which the gateway signs in there, never the secret. */
  readonly signIn: 'none' | 'token' | 'oauth';
  readonly tools: readonly ServerToolView[];
  readonly leftOut: readonly LeftOut[];
}

export interface ServerToolView extends ServerTool {
  readonly wireName: string;
  readonly grade: Risk | null;
  /** The time of a change that the owner has not looked at yet. */
  readonly changedAt: number | null;
  /** The grade that its server's hints propose. `null` once the owner graded it, and for a tool to look at by itself. */
  readonly proposal: Risk | null;
}

/** A tool to list, with what its call needs to know. */
export interface JoinedRow {
  readonly server: string;
  readonly tool: ServerTool;
  readonly grade: Risk | null;
  readonly url: string | null;
  /** The machine that started the server: its name, and the id that reaches it. */
  readonly machine: string | null;
  readonly machineId: string | null;
  readonly allow: readonly string[] | null;
  readonly checkedAt: number | null;
  /** The time of a change that the owner has not looked at yet. */
  readonly changedAt: number | null;
  /** The tool as the owner graded it, if it changed since and is known. */
  readonly before: ServerTool | null;
}

export interface NewServer {
  readonly name: string;
  readonly url: string;
  readonly allow: readonly string[] | null;
}

/** The stored row of a server. */
export type ServerRow = {
  name: string;
  url: string | null;
  machine: string | null;
  machine_name: string | null;
  allow: string | null;
  added_at: number;
  checked_at: number | null;
  problem: string | null;
  left_out: string;
};
type ToolRow = {
  server: string;
  name: string;
  body: string;
  hash: string;
  grade: Risk | null;
  changed_at: number | null;
  listed: number;
  /** The tool as the owner last graded it. */
  graded: string | null;
};

/** The most servers that can be joined. */
export const MAX_SERVERS = 32;

export function versionOf(sql: Sql): number {
  return sql.exec<{ n: number }>('SELECT n FROM server_version').one().n;
}

export function serverViews(sql: Sql): ServerView[] {
  return sql
    .exec<ServerRow>('SELECT * FROM server ORDER BY name')
    .toArray()
    .map((row) => viewOf(sql, row));
}

export function serverView(sql: Sql, name: string): ServerView | undefined {
  const row = rowOf(sql, name);
  return row && viewOf(sql, row);
}

/** Adds a server that the gateway reaches itself. */
export function addServer(
  sql: Sql,
  { name, url, allow }: NewServer,
  now: number,
): 'added' | 'taken' | 'too_many' {
  if (rowOf(sql, name)) return 'taken';
  if (sql.exec('SELECT name FROM server').toArray().length >= MAX_SERVERS) return 'too_many';
  const values = [name, url, allow === null ? null : JSON.stringify(allow), now];
  sql.exec('INSERT INTO server (name, url, allow, added_at) VALUES (?, ?, ?, ?)', ...values);
  bump(sql);
  return 'added';
}

/** Removes a server with the yeses given to its tools, because another server may come under its name. */
export function removeServer(sql: Sql, name: string): readonly string[] | undefined {
  if (!rowOf(sql, name)) return undefined;
  const tools = toolsOf(sql, name).map((tool) => joinedName(name, tool.name));
  for (const wireName of tools) voidApprovals(sql, wireName);
  for (const table of ['server_secret', 'server_tool'])
    sql.exec(`DELETE FROM ${table} WHERE server = ?`, name);
  sql.exec('DELETE FROM server WHERE name = ?', name);
  bump(sql);
  return tools;
}

/** Stores the result of checking a server's list. Gives the wire names of tools that changed. */
export function keepConformity(
  sql: Sql,
  server: string,
  { tools, leftOut }: Conformity,
  now: number,
): string[] {
  const known = new Map(toolsOf(sql, server).map((tool) => [tool.name, tool]));
  const changed: string[] = [];
  let isOther = false;
  for (const tool of tools) {
    const before = known.get(tool.name);
    known.delete(tool.name);
    if (before?.hash === tool.hash && before.listed === 1) continue;
    isOther = true;
    const isChanged = before !== undefined && before.hash !== tool.hash;
    if (isChanged) {
      changed.push(joinedName(server, tool.name));
      voidApprovals(sql, joinedName(server, tool.name));
    }
    sql.exec(
      `INSERT INTO server_tool (server, name, body, hash, changed_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (server, name) DO UPDATE SET body = excluded.body, hash = excluded.hash, listed = 1,
         grade = CASE WHEN hash = excluded.hash THEN grade END,
         changed_at = CASE WHEN hash = excluded.hash THEN changed_at ELSE excluded.changed_at END`,
      server,
      tool.name,
      JSON.stringify(tool),
      tool.hash,
      isChanged ? now : null,
    );
  }
  for (const gone of known.values()) {
    if (gone.listed === 0) continue;
    isOther = true;
    voidApprovals(sql, joinedName(server, gone.name));
    sql.exec('UPDATE server_tool SET listed = 0 WHERE server = ? AND name = ?', server, gone.name);
  }
  const said = JSON.stringify(leftOut);
  sql.exec(
    'UPDATE server SET checked_at = ?, problem = NULL, left_out = ? WHERE name = ?',
    now,
    said,
    server,
  );
  if (isOther) bump(sql);
  return changed;
}

/** Records that a server could not be asked. Its tools stay listed. */
export function keepProblem(sql: Sql, server: string, problem: string): void {
  sql.exec('UPDATE server SET problem = ? WHERE name = ?', problem.slice(0, 500), server);
}

/** Records the owner's grade of a tool as it was when they looked at it. */
export function gradeTool(
  sql: Sql,
  { server, tool, hash, grade }: { server: string; tool: string; hash: string; grade: Risk | null },
): 'graded' | 'not_found' | 'changed' {
  const found = toolsOf(sql, server).find(({ name, listed }) => name === tool && listed === 1);
  if (!found) return 'not_found';
  if (found.hash !== hash) return 'changed';
  sql.exec(
    'UPDATE server_tool SET grade = ?, changed_at = NULL, graded = body WHERE server = ? AND name = ?',
    grade,
    server,
    tool,
  );
  voidApprovals(sql, joinedName(server, tool));
  bump(sql);
  return 'graded';
}

/** Grades new tools as their server's hints propose, all or none of them, as the owner saw them. */
export function acceptProposals(
  sql: Sql,
  { server, tools }: { server: string; tools: readonly { name: string; hash: string }[] },
): 'graded' | 'not_found' | 'changed' {
  const known = new Map(toolsOf(sql, server).map((tool) => [tool.name, tool]));
  const found = tools.map(({ name }) => known.get(name));
  if (found.some((tool) => tool?.listed !== 1)) return 'not_found';
  const proposals = found.map((tool, i) => (tool && tool.hash === tools[i]?.hash ? proposalFor(tool) : null));
  if (proposals.includes(null)) return 'changed';
  for (const [i, { name, hash }] of tools.entries())
    gradeTool(sql, { server, tool: name, hash, grade: proposals[i] ?? null });
  return 'graded';
}

/**
 * Gives what the hints of a tool propose, if the owner never graded it and nothing about it calls for a look of its own. So
 * no hint lowers a grade of the owner's, and none counts for a tool that changed.
 */
function proposalFor({ body, grade, graded, changed_at }: ToolRow): Risk | null {
  if (grade !== null || graded !== null || changed_at !== null) return null;
  const { hints, flags }: ServerTool = JSON.parse(body);
  return hints && flags.length === 0 ? proposedBy(hints) : null;
}

/** The longest list of everything joined, as JSON. What comes after is not listed. */
const MAX_LISTED_CHARS = 2 * 1024 * 1024;

/** Lists everything to show. */
export function joinedRows(sql: Sql): JoinedRow[] {
  const query = `SELECT t.server, t.body, t.grade, s.url, s.machine AS machineId, s.machine_name AS machine, s.allow, s.checked_at AS checkedAt, t.changed_at AS changedAt,
      CASE WHEN t.changed_at IS NOT NULL THEN t.graded END AS graded
    FROM server_tool t JOIN server s ON s.name = t.server WHERE t.listed = 1 ORDER BY t.server, t.rowid`;
  type Joined = Pick<ServerRow, 'url' | 'machine' | 'allow'> & {
    server: string;
    machineId: string | null;
    body: string;
    grade: Risk | null;
    checkedAt: number | null;
    changedAt: number | null;
    graded: string | null;
  };
  let room = MAX_LISTED_CHARS;
  return sql
    .exec<Joined>(query)
    .toArray()
    .flatMap(({ body, graded, allow, ...row }) => {
      room -= body.length + (graded?.length ?? 0);
      const before = graded === null ? null : JSON.parse(graded);
      return room < 0 ? [] : [{ ...row, tool: JSON.parse(body), before, allow: allowIn(allow) }];
    });
}

function viewOf(sql: Sql, row: ServerRow): ServerView {
  const secret: { kind?: 'token' | 'oauth' } = JSON.parse(secretOf(sql, row.name) ?? '{}');
  return {
    name: row.name,
    url: row.url,
    machine: row.machine_name,
    allow: allowIn(row.allow),
    addedAt: row.added_at,
    checkedAt: row.checked_at,
    problem: row.problem ?? clashOf(sql, row.name),
    signIn: secret.kind ?? 'none',
    tools: toolsOf(sql, row.name)
      .filter(({ listed }) => listed === 1)
      .map((tool) => ({
        ...JSON.parse(tool.body),
        wireName: joinedName(row.name, tool.name),
        grade: tool.grade,
        changedAt: tool.changed_at,
        proposal: proposalFor(tool),
      })),
    leftOut: JSON.parse(row.left_out),
  };
}

/** Ends approvals that wait or are unused: they speak for the tool as it was. */
function voidApprovals(sql: Sql, wireName: string): void {
  sql.exec(
    "UPDATE approval SET state = 'expired', told = 1 WHERE tool = ? AND state IN ('pending', 'approved')",
    wireName,
  );
}

function allowIn(text: string | null): readonly string[] | null {
  return text === null ? null : JSON.parse(text);
}

/** Gives a server's stored row. */
export function rowOf(sql: Sql, name: string): ServerRow | undefined {
  return sql.exec<ServerRow>('SELECT * FROM server WHERE name = ?', name).toArray()[0];
}

function toolsOf(sql: Sql, server: string): ToolRow[] {
  return sql.exec<ToolRow>('SELECT * FROM server_tool WHERE server = ? ORDER BY rowid', server).toArray();
}

/** Makes every reader load the list of tools again. */
export function bump(sql: Sql): void {
  sql.exec('UPDATE server_version SET n = n + 1');
}
