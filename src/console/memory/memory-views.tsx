import type { Child } from 'hono/jsx';
import type { ChainEntry } from '../../core/chain.ts';
import { visible } from '../../core/visible.ts';
import type { MemoryHit } from '../../memory/search.ts';
import type { MemoryOverview, TimelinePage } from '../../memory/timeline.ts';
import { memoryPath } from '../../mirror/console-links.ts';
import { Ago, Badge, Card, Copyable, Empty, Facts, Pager, Table } from '../parts/parts.tsx';

/** The most of an entry that a list shows. */
const PREVIEW_CHARS = 800;
const PREVIEW_KEYS = 12;
const EXCERPT_CHARS = 300;

/** Lists each file, its length, and when it last grew. */
export function Files({ files }: Pick<MemoryOverview, 'files'>) {
  return (
    <Card title="Files">
      <Table caption="The memory's files" heads={['File', 'Lines', 'Last entry']}>
        {files.map(({ file, lines, at }) => (
          <tr>
            <td>
              <a href={memoryPath(file)}>{file}</a>
            </td>
            <td data-label="Lines">{lines.toLocaleString('en')}</td>
            <td data-label="Last entry">{at === null ? 'none yet' : <Ago at={at} />}</td>
          </tr>
        ))}
      </Table>
    </Card>
  );
}

/** Shows the state of the chain, and how somebody who trusts nobody can verify it. */
export function Chain({ seq, head, checkpoint, locked }: MemoryOverview) {
  return (
    <Card
      title="Chain"
      aside={locked === null ? <Badge tone="good">open</Badge> : <Badge tone="bad">locked</Badge>}
    >
      <Facts
        facts={[
          ['Entries', seq.toLocaleString('en')],
          ['Head', <span class="mono">{head}</span>],
          [
            'Last checkpoint',
            checkpoint.seq === 0 ? (
              'none signed yet'
            ) : (
              <>
                at entry {checkpoint.seq.toLocaleString('en')}, <Ago at={checkpoint.at} />
              </>
            ),
          ],
        ]}
      />
      <p>
        Every entry carries the hash of the one before it, so nothing can be changed or left out without the
        head changing. This checks the whole chain on your own computer, and against what it saw before:
      </p>
      <Copyable text="bowline memory verify" label="the command that verifies" />
      <p class="links">
        <a href="/memory/log.jsonl" download="log.jsonl">
          Download the log
        </a>{' '}
        <a href="/memory/checkpoints.json" download="checkpoints.json">
          Download the checkpoints
        </a>
      </p>
      <p class="quiet small">
        With both in one folder, <code>bowline memory verify log.jsonl</code> checks them without the gateway.
      </p>
    </Card>
  );
}

/** Searches all entries for words. */
export function SearchForm({ query }: { readonly query: string }) {
  return (
    <search>
      <form class="search" action="/memory">
        <label class="unseen" for="memory-query">
          Search words
        </label>
        <input
          id="memory-query"
          name="q"
          type="search"
          maxlength={200}
          value={query}
          placeholder="Search the memory"
        />
        <button type="submit">Search</button>
      </form>
    </search>
  );
}

/** Lists what the search found, best first. */
export function Hits({ query, hits }: { readonly query: string; readonly hits: readonly MemoryHit[] }) {
  return (
    <Card title={`${hits.length === 0 ? 'Nothing' : hits.length} found for “${visible(query, 100)}”`}>
      {hits.length === 0 ? (
        <Empty title="No entry has any of these words.">
          <a href="/memory">Back to the timeline</a>
        </Empty>
      ) : (
        <ol class="entries">
          {hits.map(({ file, line, body }) => (
            <li class="entry">
              <div class="entry-head">
                <a href={memoryPath(file, line)}>
                  {file}, line {line}
                </a>
              </div>
              <p class="entry-text">{visible(body, EXCERPT_CHARS)}</p>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

/** Lists entries, newest first. Shows the requested one in full. */
export function Timeline({
  page,
  file,
  line,
  before,
}: {
  readonly page: TimelinePage;
  readonly file: string | null;
  readonly line: number | null;
  readonly before: number | null;
}) {
  const here = file === null ? '/memory' : memoryPath(file);
  return (
    <Card title="Timeline">
      {page.entries.length === 0 ? (
        <Empty title="No entries yet">
          Models add entries with <a href="/catalogue/write_memory_entry">write_memory_entry</a>, after your
          approval.
        </Empty>
      ) : (
        <ol class="entries">
          {page.entries.map((entry) => (
            <Entry entry={entry} inFile={file !== null} isWhole={file !== null && entry.line === line} />
          ))}
        </ol>
      )}
      <Pager
        newer={before === null && line === null ? undefined : here}
        older={page.next === null ? undefined : `${here}?before=${page.next}`}
      />
    </Card>
  );
}

function Entry({
  entry,
  inFile,
  isWhole,
}: {
  readonly entry: ChainEntry;
  readonly inFile: boolean;
  readonly isWhole: boolean;
}) {
  const { file, line, at, body, seq, hash, prev } = entry;
  const record = recordOf(body);
  const type = typeof record?.type === 'string' ? record.type : undefined;
  return (
    <li class={isWhole ? 'entry asked' : 'entry'} id={inFile ? `L${line}` : `E${seq}`}>
      <div class="entry-head">
        <a href={memoryPath(file, line)}>
          {inFile ? 'Line' : `${file}, line`} {line}
        </a>
        {type === undefined ? null : <Badge>{visible(type, 40)}</Badge>}
        <span class="quiet small">
          <Ago at={at} />
        </span>
      </div>
      {isWhole ? (
        <>
          <pre class="shown">{visible(body)}</pre>
          <Facts
            facts={[
              ['Entry', seq.toLocaleString('en')],
              ['Hash', <span class="mono">{hash}</span>],
              ['Previous hash', <span class="mono">{prev}</span>],
            ]}
          />
        </>
      ) : record ? (
        <RecordPreview record={record} />
      ) : (
        <p class="entry-text">{visible(body, PREVIEW_CHARS)}</p>
      )}
    </li>
  );
}

function RecordPreview({ record }: { readonly record: Readonly<Record<string, unknown>> }) {
  const facts: [string, Child][] = [];
  let left = PREVIEW_CHARS;
  for (const [key, value] of Object.entries(record)) {
    if (key === 'type') continue;
    if (left <= 0 || facts.length === PREVIEW_KEYS) {
      facts.push(['…', 'Open the line to see the rest.']);
      break;
    }
    const text = visible(typeof value === 'string' ? value : JSON.stringify(value), left);
    facts.push([visible(key, 60), text]);
    left -= text.length + key.length;
  }
  return <Facts facts={facts} />;
}

/** Reads a line of a `.jsonl` file as data. Gives nothing if it is no object. */
function recordOf(body: string): Readonly<Record<string, unknown>> | undefined {
  if (!body.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Markdown may begin like that. It is shown as text.
    return undefined;
  }
}
