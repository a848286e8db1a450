import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from '../../lib/private-file.ts';
import { PROJECT } from '../../lib/project.ts';

/**
 * The clone's wrangler.toml with the names of one deployment, to stand in another folder. Two of them must not share a bucket: what one
 * sweeps away the other may still need.
 */
export function configFor(name: string, toml: string, project: string = PROJECT): string {
  return (
    toml
      .replace(/^name = .*$/m, `name = ${JSON.stringify(name)}`)
      .replace(/^main = "(.*)"$/m, (_, main: string) => `main = ${JSON.stringify(join(project, main))}`)
      // Cloudflare's edge sets this header itself, whatever a client sent; nothing does on a computer of the owner's.
      .replace(/^CLIENT_ADDRESS_HEADER = .*$/m, 'CLIENT_ADDRESS_HEADER = "cf-connecting-ip"')
      // The flag `global_fetch_strictly_public`, which this file has too, keeps Cloudflare's fetches to public addresses.
      .replace(/^FETCHES_STAY_PUBLIC = .*$/m, 'FETCHES_STAY_PUBLIC = "yes"')
      .replace(/^bucket_name = .*$/m, `bucket_name = ${JSON.stringify(`${name}-blobs`)}`)
  );
}

/** Writes it where nothing of the clone changes, and says where. */
export function writeConfig(home: string, name: string): string {
  const path = configFile(home);
  writePrivate(path, configFor(name, readFileSync(join(PROJECT, 'wrangler.toml'), 'utf8')));
  return path;
}

/** Whether there is anything here to deploy. */
export function isClone(project: string = PROJECT): boolean {
  return existsSync(join(project, 'wrangler.toml')) && existsSync(join(project, 'src', 'worker.ts'));
}

export function configFile(home: string): string {
  return join(home, 'deploy', 'wrangler.toml');
}
