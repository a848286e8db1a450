import { ERROR_META, WAITING_META } from '../../core/meta-names.ts';
import { sandboxWords } from '../../core/sandbox-names.ts';
import { button, element, type Inside, line, lines, linesOf } from './elements.browser.ts';
import { type Host, recordIn, recordsIn, textIn } from './host.browser.ts';

/** How a call ended: the result as the program behind the card got it. */
export type Result = Record<string, unknown>;

/** The failure of a call in Bowline's own terms. */
export function failureIn(result: Result): Record<string, unknown> {
  return recordIn(recordIn(result._meta)[ERROR_META]);
}

/** The approval that a call waits for, by the answer that says so. */
export function waitingIn(result: Result): Record<string, unknown> {
  return recordIn(recordIn(result._meta)[WAITING_META]);
}

const MAX_HITS = 25;

/** Shows how a call ended, by its tool. */
export function resultView(tool: string, result: Result, host: Host): Inside[] {
  const output = recordIn(result.structuredContent);
  if (result.isError === true && result.structuredContent === undefined) return failure(result);
  switch (tool) {
    case 'search':
    case 'search_web':
      return hits(recordsIn(output.results), host);
    case 'list_machines':
      return machines(recordsIn(output.machines));
    default:
      return envelope(output, result);
  }
}

function failure(result: Result): Inside[] {
  const { message, suggestion } = failureIn(result);
  const words = textIn(message) === '' ? textOf(result) : `${textIn(message)} ${textIn(suggestion)}`;
  return [state('bad', 'It failed'), line('p', '', words, 1_000)];
}

/** Shows the answer of a tool on a machine: one line that says what happened, and the content behind it. */
function envelope(output: Record<string, unknown>, result: Result): Inside[] {
  const text = textIn(output.output) || textOf(result);
  const end = text.indexOf('\n');
  const first = end < 0 ? text : text.slice(0, end);
  const rest = end < 0 ? '' : text.slice(end + 1);
  const { exit_code: exit } = recordIn(output.metadata);
  const failed = output.success === false || result.isError === true;
  const words = typeof exit === 'number' ? `Exit code ${exit}` : failed ? 'It failed' : 'Done';
  return [
    state(failed ? 'bad' : 'good', words),
    // A line such as "Command output:" says nothing above the output.
    ...(output.success === undefined || (rest !== '' && first.endsWith(':'))
      ? []
      : [line('p', '', first, 500)]),
    ...(output.success === undefined
      ? lines(linesOf(text, 'first'), 'first', 'The answer')
      : rest === ''
        ? []
        : lines(linesOf(rest, 'last'), 'last', 'The output')),
  ];
}

function hits(results: readonly Record<string, unknown>[], host: Host): Inside[] {
  const items = results.slice(0, MAX_HITS).map(({ title, url, snippet }) => {
    const address = textIn(url);
    const name = textIn(title) || address;
    const canOpen = host.canOpen && /^https?:\/\//.test(address);
    const opens = canOpen
      ? button(name, () => void host.request('ui/open-link', { url: address }).catch(() => {}))
      : line('span', '', name);
    if (canOpen) opens.className = 'link';
    return element(
      'li',
      '',
      opens,
      line('span', 'mono address', address),
      ...(textIn(snippet) === '' ? [] : [line('span', 'quiet', textIn(snippet))]),
    );
  });
  const count = results.length === 1 ? '1 result' : `${results.length} results`;
  return [state('calm', count), ...(items.length === 0 ? [] : [element('ol', 'hits', ...items)])];
}

function machines(all: readonly Record<string, unknown>[]): Inside[] {
  const items = all.map(({ name, online, since, roots, version, sandbox }) => {
    const { words, hint } = sandboxWords(textIn(sandbox));
    const folders = recordsIn(roots).map((root) => textIn(root.name));
    const at = new Date(textIn(since));
    return element(
      'li',
      '',
      element('strong', '', textIn(name)),
      line('span', `badge ${online === true ? 'good' : 'calm'}`, online === true ? 'online' : 'offline'),
      line('span', 'quiet', Number.isNaN(at.getTime()) ? '' : `since ${at.toLocaleString()}`),
      line(
        'span',
        'quiet',
        `${folders.length === 0 ? 'no folder open' : folders.join(', ')}${textIn(version) === '' ? '' : `, Bowline ${textIn(version)}`}${textIn(sandbox) === '' ? '' : `, ${words}`}`,
      ),
      ...(hint === undefined ? [] : [line('span', 'quiet', hint)]),
    );
  });
  const count = all.filter(({ online }) => online === true).length;
  return [state('calm', `${count} of ${all.length} online`), element('ul', 'machines', ...items)];
}

function state(tone: string, words: string): HTMLElement {
  return element('p', 'state', line('span', `badge ${tone}`, words));
}

function textOf({ content }: Result): string {
  return recordsIn(content)
    .map(({ text }) => textIn(text))
    .join('\n');
}
