import { type Command, InvalidArgumentError } from 'commander';
import * as z from 'zod';
import { TOKEN_SCOPES, type TokenScope } from '../../../contracts/contract.ts';
import { visibleLine } from '../../../src/core/visible.ts';
import { requiredGateway } from '../../lib/gateway-url.ts';
import { asOwner } from '../../lib/owner-key.ts';
import { detail, done, printJson } from '../../lib/print.ts';

const accessShape = z.object({
  tokens: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      scopes: z.array(z.string()),
      createdAt: z.number(),
      seenAt: z.number().nullable(),
      expiresAt: z.number(),
    }),
  ),
});

export function addTokenCommands(program: Command): void {
  const token = program
    .command('token')
    .description('create, list and revoke tokens for scripts (as the owner)');
  token
    .command('create')
    .description('create a token; it is printed once')
    .requiredOption('--name <name>', 'what it is for')
    .option('--scopes <list>', `what it may do, separated by commas: ${TOKEN_SCOPES.join(', ')}`, scopesIn, [
      'read',
    ])
    .option('--days <n>', 'days until it expires, 1 to 365', wholeDays, 30)
    .option('--json', 'print it as JSON')
    .addHelpText('after', '\nExample:\n  bowline token create --name nightly --scopes read,write --days 90')
    .action(create);
  token
    .command('list')
    .description('list the tokens that are still valid')
    .option('--json', 'print them as JSON')
    .action(list);
  token
    .command('revoke')
    .description('revoke a token')
    .argument('<id>', 'as `token list` prints it')
    .action(revoke);
}

interface Create {
  readonly name: string;
  readonly scopes: TokenScope[];
  readonly days: number;
  readonly json?: boolean;
}

async function create({ name, scopes, days, json }: Create): Promise<void> {
  const made = await asOwner(requiredGateway(), (owner) => owner.createToken({ name, scopes, days }));
  if (json) return printJson(made);
  done(`Created the token ${name} (${made.token.id}). It is shown only once:`);
  console.log(made.secret);
}

async function list({ json }: { json?: boolean }): Promise<void> {
  const { tokens } = accessShape.parse(
    await asOwner(requiredGateway(), (owner) => owner.call('GET', 'access')),
  );
  if (json) return printJson({ tokens });
  if (tokens.length === 0) console.log('No tokens yet.');
  for (const { id, name, scopes, expiresAt } of tokens) {
    console.log(`${id}  ${visibleLine(name)}`);
    detail('may', `${scopes.join(', ')}, until ${new Date(expiresAt).toISOString().slice(0, 10)}`);
  }
}

async function revoke(id: string): Promise<void> {
  await asOwner(requiredGateway(), (owner) => owner.call('DELETE', `tokens/${encodeURIComponent(id)}`));
  done(`Revoked ${id}.`);
}

function scopesIn(text: string): TokenScope[] {
  const asked = text.split(',').map((word) => word.trim());
  const known = TOKEN_SCOPES.filter((scope) => asked.includes(scope));
  if (known.length !== new Set(asked).size)
    throw new InvalidArgumentError(`The scopes are ${TOKEN_SCOPES.join(', ')}.`);
  return known;
}

function wholeDays(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 365) return days;
  throw new InvalidArgumentError('Give a number of days from 1 to 365.');
}
