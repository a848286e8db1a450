import type { AnyContract, ErrorTable } from '../../../contracts/contract.ts';
import { endpointOf, TRANSPORT } from '../../core/registry-entry.ts';
import { inputSchema, outputSchema } from '../../core/schema.ts';
import { visible } from '../../core/visible.ts';
import { isJoinedName } from '../../joined/names.ts';
import { Card, counted, Facts, Table } from '../parts/parts.tsx';
import { Risk } from '../parts/risk.tsx';

/** Lists tools by where they run. */
export function ToolList({ contracts }: { readonly contracts: readonly AnyContract[] }) {
  const groups = [
    [
      'In the gateway',
      contracts.filter(({ runsOn, wireName }) => runsOn === 'gateway' && !isJoinedName(wireName)),
    ],
    [
      'On your machines',
      contracts.filter(({ runsOn, wireName }) => runsOn === 'machine' && !isJoinedName(wireName)),
    ],
    ['From other servers', contracts.filter(({ wireName }) => isJoinedName(wireName))],
  ] as const;
  return (
    <>
      {groups.map(([title, tools]) =>
        tools.length === 0 ? null : (
          <Card title={title} aside={counted(tools.length, 'tool')}>
            <ul class="tools">
              {tools.map((contract) => (
                <li>
                  <a href={`/catalogue/${encodeURIComponent(contract.wireName)}`}>
                    {visible(contract.title, 100)}
                  </a>
                  <Risk risk={contract.risk} />
                  <p class="small">
                    <code>{contract.wireName}</code> <Prose text={firstSentence(contract.description)} />
                  </p>
                </li>
              ))}
            </ul>
          </Card>
        ),
      )}
    </>
  );
}

/** Shows a tool's promises: who may call it, how often, and what it may do. */
export function Promises({ contract }: { readonly contract: AnyContract }) {
  const { name, wireName, runsOn, approval, scope, limits, hints } = contract;
  return (
    <Card>
      <Facts
        facts={[
          ['Name', <code>{wireName}</code>],
          ['Also called', name === wireName ? null : <code>{visible(name, 100)}</code>],
          ['Risk', <Risk risk={contract.risk} />],
          [
            'Approval',
            approval === 'ask' ? 'each call needs your approval, unless a rule allows it' : 'not needed',
          ],
          ['Status', 'active'],
          ['Transport', TRANSPORT],
          ['Endpoint', <code>{endpointOf(wireName)}</code>],
          ['Runs', runsOn === 'machine' ? 'on your machine' : 'in the gateway'],
          ['Needs', `the scope “${scope}”`],
          ['Limits', `${limits.perMinute} calls a minute, ${limits.timeoutMs / 1000} s each`],
          ['Hints', hintsText(hints)],
        ]}
      />
    </Card>
  );
}

/** Lists how a tool itself can fail, and what the owner or the model can do then. */
export function Errors({ errors }: { readonly errors: ErrorTable }) {
  const known = Object.entries(errors);
  return (
    <Card title="Errors">
      {known.length === 0 ? (
        <p class="quiet">No errors of its own.</p>
      ) : (
        <Table caption="Errors of this tool" heads={['Code', 'Says', 'Status']}>
          {known.map(([code, { status, message, suggestion }]) => (
            <tr>
              <td class="code">
                <code>{code}</code>
              </td>
              <td>
                <Prose text={message} />{' '}
                <span class="quiet">
                  <Prose text={suggestion} />
                </span>
              </td>
              <td data-label="Status">{status}</td>
            </tr>
          ))}
        </Table>
      )}
      <p class="quiet small">
        Any call can also be refused before it runs, because of its arguments, its rate, its scope or your
        decision.
      </p>
    </Card>
  );
}

/** Lists each example, with a link that puts it into the form. */
export function Examples({ contract }: { readonly contract: AnyContract }) {
  return (
    <Card title="Examples">
      {contract.examples.map(({ about, input, output }, at) => (
        <details>
          <summary>{visible(about, 200)}</summary>
          <pre class="shown">{shownJson(input)}</pre>
          <pre class="shown">{shownJson(output)}</pre>
          <p>
            <a class="button" href={`/catalogue/${encodeURIComponent(contract.wireName)}?example=${at}#try`}>
              Use this example
            </a>
          </p>
        </details>
      ))}
    </Card>
  );
}

/** Shows input and output as JSON Schema. */
export function Schemas({ contract }: { readonly contract: AnyContract }) {
  return (
    <Card title="Schemas">
      <details>
        <summary>Input</summary>
        <pre class="shown">{shownJson(inputSchema(contract))}</pre>
      </details>
      <details>
        <summary>Output</summary>
        <pre class="shown">{shownJson(outputSchema(contract))}</pre>
      </details>
    </Card>
  );
}

/** Shows a contract's text, with words between backticks as code. */
export function Prose({ text }: { readonly text: string }) {
  return (
    <>
      {visible(text)
        .split('`')
        .map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))}
    </>
  );
}

/** Writes a value as text that a person can read and that hides nothing. */
export function shownJson(value: unknown): string {
  return visible(JSON.stringify(value, null, 2) ?? 'nothing');
}

function hintsText({ destructive, idempotent, openWorld }: AnyContract['hints']): string {
  return [
    destructive ? 'destructive' : 'not destructive',
    idempotent ? 'idempotent' : 'not idempotent',
    openWorld ? 'uses the network' : 'stays on your own systems',
  ].join(' · ');
}
function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}
