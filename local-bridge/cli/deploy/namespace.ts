import * as z from 'zod';
import { CliError } from '../../lib/exit.ts';
import { jsonOrNothing } from '../../lib/private-file.ts';
import { stepFailed } from './failed-step.ts';
import type { Wrangler, WranglerRan } from './wrangler-command.ts';

const namespaces = z.array(z.looseObject({ id: z.string(), title: z.string() }));
const keys = z.array(z.unknown());

export const NAMESPACES = ['kv', 'namespace', 'list'];

/** Names the namespace as wrangler does when it makes one for the binding `OAUTH_KV`. */
export const namespaceOf = (name: string) => `${name}-oauth-kv`;

/**
 * Finds the namespace that a deployment left behind when it failed between making it and uploading the Worker. Wrangler
 * only knows how to make one, which fails from then on because the title is taken.
 */
export async function leftNamespace(
  wrangler: Wrangler,
  { name, account }: { readonly name: string; readonly account: { readonly id: string } },
  config: string,
): Promise<string | undefined> {
  const listed = async (args: readonly string[]): Promise<unknown> => {
    const ran = await wrangler({ args: [...args, '--config', config], account: account.id });
    const said = listIn(ran);
    if (ran.code !== 0 || said === undefined) throw stepFailed('Checking which storage is there', ran);
    return said;
  };
  const title = namespaceOf(name);
  const found = namespaces.parse(await listed(NAMESPACES)).find((one) => one.title === title);
  if (!found) return undefined;
  // Sign-ins of apps to an earlier gateway must not count at a new one.
  if (keys.parse(await listed(['kv', 'key', 'list', '--namespace-id', found.id, '--remote'])).length === 0)
    return found.id;
  throw new CliError(
    `The account has no Worker ${name}, but the sign-ins of an earlier one: the KV namespace ${title}.`,
    `Delete it with \`npx wrangler kv namespace delete --namespace-id ${found.id}\`, or choose another name with --name. Then run \`bowline deploy\` again.`,
  );
}

function listIn({ stdout }: WranglerRan): unknown {
  return jsonOrNothing(stdout.slice(stdout.indexOf('['), stdout.lastIndexOf(']') + 1));
}
