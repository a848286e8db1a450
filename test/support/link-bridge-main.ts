import { createPrivateKey, sign } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { startLink } from '../../local-bridge/agent/link/link.ts';
import { linkTools } from './link-tools.ts';

/** A bridge as a process of its own: its settings are in the file that it is started with. */
const { url, id, name, folder, key, runs, pingMs } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const privateKey = createPrivateKey(key);
const link = startLink({
  url,
  machine: { id, name },
  sign: async (text) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
  // What it did is written where it outlives the process.
  tools: linkTools((word) => runs && appendFileSync(runs, `${word}\n`)).tools,
  about: { roots: [], version: '0.0.0' },
  folder,
  log: (message, error) => console.error(message, error),
  ...(pingMs ? { pingMs } : {}),
});
link.onState(({ is }) => console.log(is));
process.once('SIGTERM', () => void link.drain().then(() => process.exit(0)));
