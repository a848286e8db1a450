import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { bowlineHome } from './home.ts';

/**
 * Lets Node keep compiled code between starts, which halves them. Whoever can write there can run code as this user. So
 * it is kept in the user's own folder, which is closed to tools and commands, and not in the temporary one.
 */
export function keepCompiledCode(): void {
  const home = bowlineHome();
  // Whoever makes the folder also decides who may enter it.
  if (existsSync(home)) enableCompileCache(join(home, 'compiled'));
}
