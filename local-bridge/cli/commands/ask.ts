import type { Command } from 'commander';
import * as z from 'zod';
import { visible, visibleLine } from '../../../src/core/visible.ts';
import { EXIT } from '../../lib/exit.ts';
import { bearerFor, failureShape, reach } from '../../lib/gateway-client.ts';
import { requiredGateway } from '../../lib/gateway-url.ts';
import { complain, detail, done, printJson } from '../../lib/print.ts';

const answerShape = z.looseObject({
  call: z.object({ tool: z.string(), arguments: z.unknown() }).nullable(),
  why: z.string().nullable(),
  result: z.unknown(),
  summary: z.object({ bullets: z.array(z.object({ claim: z.string(), evidence: z.string() })) }).nullable(),
  notes: z.array(z.string()),
});

interface Options {
  readonly summary: boolean;
  readonly json?: boolean;
}

export function addAskCommand(program: Command): void {
  program
    .command('ask')
    .description('ask a question: a language model picks at most one tool, and its answer is shown')
    .argument('<question...>')
    .option('--no-summary', 'show the tool’s answer as it is')
    .option('--json', 'print everything as JSON')
    .addHelpText('after', '\nExample:\n  bowline ask "what did I decide about the database?"')
    .action(ask);
}

async function ask(words: string[], { summary, json }: Options): Promise<void> {
  const url = requiredGateway();
  const response = await reach(`${url}/host/ask`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(await bearerFor(url)) },
    body: JSON.stringify({ question: words.join(' '), summary }),
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) {
    const failure = failureShape.parse(body);
    if (json) printJson(failure);
    else complain(failure.message, failure.suggestion);
    process.exitCode = failure.code.startsWith('approval_') ? EXIT.approval : EXIT.failed;
    return;
  }
  const answer = answerShape.parse(body);
  if (json) return printJson(answer);
  if (!answer.call) return done(`No tool was used. ${answer.why ?? ''}`);
  done(`${answer.call.tool} ${visible(JSON.stringify(answer.call.arguments), 500)}`);
  if (answer.summary) {
    for (const { claim, evidence } of answer.summary.bullets) {
      console.log(`  • ${visibleLine(claim)}`);
      detail('  ', `“${visible(evidence, 300)}”`);
    }
  } else console.log(visible(JSON.stringify(answer.result, null, 2)));
  for (const note of answer.notes) console.log(`  ${visibleLine(note)}`);
}
