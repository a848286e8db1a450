import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import * as z from 'zod';
import { JsonRefused, parseStrictJson } from '../../../src/core/json.ts';
import { visibleLine } from '../../../src/core/visible.ts';
import { CliError, EXIT } from '../../lib/exit.ts';
import { requiredGateway } from '../../lib/gateway-url.ts';
import { localTime } from '../../lib/local-time.ts';
import { asOwner } from '../../lib/owner-key.ts';
import { complain, done, printJson } from '../../lib/print.ts';

const ruleShape = z.looseObject({
  id: z.string(),
  enabled: z.boolean(),
  uses: z.number(),
  expiresAt: z.number(),
  text: z.string(),
});
const listShape = z.object({ rules: z.array(ruleShape) });
const previewShape = z.looseObject({
  problems: z.array(z.object({ code: z.string(), message: z.string(), suggestion: z.string() })),
  text: z.string(),
  checked: z.number(),
  matches: z.array(z.looseObject({ at: z.number(), args: z.string() })),
});

const DRAFT_HELP = `
A rule is JSON, in a file or on standard input (-):
  { "tool": "write_memory_entry", "effect": "allow",
    "match": { "kind": "arguments", "fields": {
      "file": { "equals": "progress_log.jsonl" }, "entry": { "any": true } } },
    "examples": {
      "must": ["{\\"file\\":\\"progress_log.jsonl\\",\\"entry\\":\\"x\\"}"],
      "mustNot": ["{\\"file\\":\\"decisions.jsonl\\",\\"entry\\":\\"x\\"}"] } }
Run \`rules try\` first: it shows which past calls the rule would have covered.`;

export function addRulesCommands(program: Command): void {
  const rules = program
    .command('rules')
    .description('rules that allow, ask or deny without you (as the owner)');
  rules
    .command('list', { isDefault: true })
    .description('show the rules')
    .option('--json', 'print them as JSON')
    .action(list);
  rules
    .command('try')
    .description('check a rule against past calls without saving it')
    .argument('<file>', 'the rule as JSON; `-` reads standard input')
    .option('--json', 'print the outcome as JSON')
    .addHelpText('after', DRAFT_HELP)
    .action(tryOut);
  rules
    .command('add')
    .description('save a rule')
    .argument('<file>', 'the rule as JSON; `-` reads standard input')
    .addHelpText('after', DRAFT_HELP)
    .action(add);
  for (const name of ['enable', 'disable', 'remove'] as const) {
    rules
      .command(name)
      .description(`${name} a rule`)
      .argument('<id>', 'as `rules list` prints it')
      .action((id: string) => change(id, name));
  }
}

async function list({ json }: { json?: boolean }): Promise<void> {
  const { rules } = listShape.parse(await asOwner(requiredGateway(), (owner) => owner.call('GET', 'rules')));
  if (json) return printJson({ rules });
  if (rules.length === 0) console.log('No rules. Every call that needs approval asks you.');
  for (const { id, enabled, uses, expiresAt, text } of rules) {
    const until = new Date(expiresAt).toISOString().slice(0, 10);
    console.log(
      `${id}  ${enabled ? 'on' : 'off'}, until ${until}, used ${uses} times\n  ${visibleLine(text)}`,
    );
  }
}

async function tryOut(file: string, { json }: { json?: boolean }): Promise<void> {
  const draft = draftIn(file);
  const answer = await asOwner(requiredGateway(), (owner) => owner.call('POST', 'rules/preview', draft));
  const preview = previewShape.parse(answer);
  if (json) return printJson(preview);
  for (const { message, suggestion } of preview.problems) complain(message, suggestion);
  if (preview.problems.length > 0) throw new CliError('This rule has problems, so it cannot be saved.');
  console.log(visibleLine(preview.text));
  console.log(
    `It would have covered ${preview.matches.length} of the last ${preview.checked} calls of that tool.`,
  );
  for (const { at, args } of preview.matches.slice(0, 10)) {
    console.log(`  ${localTime(at)}  ${visibleLine(args, 100)}`);
  }
}

async function add(file: string): Promise<void> {
  const draft = draftIn(file);
  const saved = ruleShape.parse(
    await asOwner(requiredGateway(), (owner) => owner.call('POST', 'rules', draft)),
  );
  done(`Saved the rule ${saved.id}: ${visibleLine(saved.text)}`);
}

async function change(id: string, what: 'enable' | 'disable' | 'remove'): Promise<void> {
  const path = `rules/${encodeURIComponent(id)}`;
  await asOwner(requiredGateway(), (owner) =>
    what === 'remove' ? owner.call('DELETE', path) : owner.call('POST', path, { enabled: what === 'enable' }),
  );
  done(`${what === 'remove' ? 'Removed' : what === 'enable' ? 'Enabled' : 'Disabled'} the rule ${id}.`);
}

function draftIn(file: string): object {
  try {
    const draft = parseStrictJson(readFileSync(file === '-' ? 0 : file, 'utf8'));
    if (typeof draft === 'object' && draft !== null && !Array.isArray(draft)) return draft;
    throw new CliError('A rule is one JSON object.', 'See `bowline rules add --help`.', EXIT.usage);
  } catch (error) {
    if (error instanceof JsonRefused) throw new CliError(`${file}: ${error.message}`, undefined, EXIT.usage);
    throw error;
  }
}
