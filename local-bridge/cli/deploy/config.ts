import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from '../../lib/private-file.ts';
import { PROJECT } from '../../lib/project.ts';

/**
 * Writes the clone's wrangler.toml with the names of one deployment, for another folder. Two deployments must not
 * share a bucket: one may delete what the other still needs.
 */
export function configFor(
  name: string,
  toml: string,
  {
    namespace,
    project = PROJECT,
  }: { readonly namespace?: string | undefined; readonly project?: string } = {},
): string {
  return (
    toml
      .replace(/^name = .*$/m, `name = ${JSON.stringify(name)}`)
      .replace(/^main = "(.*)"$/m, (_, main: string) => `main = ${JSON.stringify(join(project, main))}`)
      // Cloudflare sets this header itself, so a client cannot forge it. On the owner's own computer nothing sets it.
      .replace(/^CLIENT_ADDRESS_HEADER = .*$/m, 'CLIENT_ADDRESS_HEADER = "cf-connecting-ip"')
      // The flag `global_fetch_strictly_public`, also in this file, keeps Cloudflare's fetches to public addresses.
      .replace(/^FETCHES_STAY_PUBLIC = .*$/m, 'FETCHES_STAY_PUBLIC = "yes"')
      .replace(/^bucket_name = .*$/m, `bucket_name = ${JSON.stringify(`${name}-blobs`)}`)
      .replace(/^binding = "OAUTH_KV"$/m, (line) =>
        namespace === undefined ? line : `${line}\nid = ${JSON.stringify(namespace)}`,
      )
  );
}

/** Writes the file where it changes nothing in the clone. Gives its path. */
export function writeConfig(home: string, name: string, namespace?: string): string {
  const path = configFile(home);
  writePrivate(path, configFor(name, readFileSync(join(PROJECT, 'wrangler.toml'), 'utf8'), { namespace }));
  return path;
}

/** Tells whether this is a clone, which has the sources to deploy. */
export function isClone(project: string = PROJECT): boolean {
  return existsSync(join(project, 'wrangler.toml')) && existsSync(join(project, 'src', 'worker.ts'));
}

export function configFile(home: string): string {
  return join(home, 'deploy', 'wrangler.toml');
}
