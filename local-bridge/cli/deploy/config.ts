import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from '../../lib/private-file.ts';
import { PROJECT } from '../../lib/project.ts';

/**
 * Writes the clone's wrangler.toml with the names of one deployment, for another folder. Two deployments must not
 * share a bucket: one may delete what the other still needs.
 */
export function configFor(name: string, toml: string, project: string = PROJECT): string {
  return (
    toml
      .replace(/^name = .*$/m, `name = ${JSON.stringify(name)}`)
      .replace(/^main = "(.*)"$/m, (_, main: string) => `main = ${JSON.stringify(join(project, main))}`)
      // Cloudflare's edge sets this header itself, whatever a client sent. On the owner's own computer nothing does.
      .replace(/^CLIENT_ADDRESS_HEADER = .*$/m, 'CLIENT_ADDRESS_HEADER = "cf-connecting-ip"')
      // The flag `global_fetch_strictly_public`, also in this file, keeps Cloudflare's fetches to public addresses.
      .replace(/^FETCHES_STAY_PUBLIC = .*$/m, 'FETCHES_STAY_PUBLIC = "yes"')
      .replace(/^bucket_name = .*$/m, `bucket_name = ${JSON.stringify(`${name}-blobs`)}`)
  );
}

/** Writes the file where it changes nothing in the clone. Gives its path. */
export function writeConfig(home: string, name: string): string {
  const path = configFile(home);
  writePrivate(path, configFor(name, readFileSync(join(PROJECT, 'wrangler.toml'), 'utf8')));
  return path;
}

/** Tells whether there is anything here to deploy. */
export function isClone(project: string = PROJECT): boolean {
  return existsSync(join(project, 'wrangler.toml')) && existsSync(join(project, 'src', 'worker.ts'));
}

export function configFile(home: string): string {
  return join(home, 'deploy', 'wrangler.toml');
}
