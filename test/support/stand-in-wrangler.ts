// Answers as wrangler 4.135.0 does, as far as `bowline deploy` asks, and writes down what it was asked.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { StandInState } from './deploy.ts';

const { STAND_IN_STATE: stateFile = '', STAND_IN_CALLS: calls = '', WRANGLER_OUTPUT_FILE_PATH } = process.env;
const args = process.argv.slice(2);
// A person signs in at the terminal, which does not end.
const stdin = args[0] === 'login' ? '' : await text(process.stdin);
const state: StandInState = JSON.parse(readFileSync(stateFile, 'utf8'));
const { CI, CLOUDFLARE_ACCOUNT_ID, BOWLINE_OWNER_KEY } = process.env;
appendFileSync(
  calls,
  `${JSON.stringify({ args, stdin, env: { CI, CLOUDFLARE_ACCOUNT_ID, BOWLINE_OWNER_KEY } })}\n`,
);

const command = args.filter((arg) => /^[a-z0-9]+$/.test(arg)).slice(0, 3);
const fails = state.fails?.find(({ on }) => args.join(' ').startsWith(on));
if (fails) fail(fails.says);
else if (args[0] === 'whoami') whoami();
else if (args[0] === 'login') login();
else if (args[0] === 'r2') console.log('Listing buckets...\n');
else if (args[0] === 'secret' && args[1] === 'list') secretList();
else if (args[0] === 'secret' && args[1] === 'bulk') secretBulk();
else if (args[0] === 'kv') console.log('[]');
else if (args[0] === 'rollback') console.log('SUCCESS');
else if (args[0] === 'deploy') deploy();
else fail(`Unknown arguments: ${command.join(', ')}`);

function whoami(): void {
  if (!state.accounts) {
    console.log(JSON.stringify({ loggedIn: false }, null, 2));
    process.exitCode = 1;
    return;
  }
  const said = { loggedIn: true, authType: 'OAuth Token', email: 'me@example.com', accounts: state.accounts };
  console.log(JSON.stringify(said, null, 2));
}

function login(): void {
  console.log('Opening a link in your default browser …');
  save({ ...state, accounts: [{ id: 'a'.repeat(32), name: "Me's Account" }] });
}

function secretList(): void {
  if (!state.deployed) fail('Worker "bowline" not found. [code: 10007]');
  else {
    const secrets = Object.keys(state.secrets).map((name) => ({ name, type: 'secret_text' }));
    console.log(JSON.stringify(secrets, null, '  '));
  }
}

function secretBulk(): void {
  const given: Record<string, string> = JSON.parse(stdin);
  save({ ...state, secrets: { ...state.secrets, ...given } });
  console.log('🌀 Creating the secrets for the Worker "bowline" ');
  for (const name of Object.keys(given)) console.log(`✨ Successfully created secret for key: ${name}`);
  console.log(
    `\nFinished processing secrets file:\n✨ ${Object.keys(given).length} secrets successfully created`,
  );
}

function deploy(): void {
  save({ ...state, deployed: true });
  const targets = args.includes('--domain')
    ? [`${args[args.indexOf('--domain') + 1]} (custom domain)`]
    : [state.address];
  console.log('Total Upload: 850.00 KiB / gzip: 250.00 KiB\nUploaded bowline (3.21 sec)');
  console.log(`Deployed bowline triggers (1.02 sec)\n  ${targets.join('\n  ')}\nCurrent Version ID: 0-0`);
  const report = { type: 'deploy', version: 1, worker_name: 'bowline', version_id: '0-0', targets };
  const session = { type: 'wrangler-session', version: 1, wrangler_version: '4.135.0' };
  if (state.reports !== false && WRANGLER_OUTPUT_FILE_PATH) {
    appendFileSync(WRANGLER_OUTPUT_FILE_PATH, `${JSON.stringify(session)}\n${JSON.stringify(report)}\n`);
  }
}

function save(next: StandInState): void {
  writeFileSync(stateFile, JSON.stringify(next));
}

function fail(says: string): void {
  console.error(`\n\u001b[31m✘ \u001b[41;31m[ERROR]\u001b[0m \u001b[1m${says}\u001b[0m\n`);
  process.exitCode = 1;
}
