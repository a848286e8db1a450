#!/usr/bin/env node
// Plain JavaScript, so that an old Node reaches the sentence below instead of a syntax error.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `Bowline needs Node 22.18 or newer, and this is Node ${process.versions.node}.\n` +
      'In a clone, run `npm ci` without --omit=dev, then use `npm start` or `npx bowline …`: they run the Node that it installed.',
  );
  process.exit(1);
}
// Node 22 would say with every command that its SQLite is experimental.
const { emitWarning } = process;
process.emitWarning = (warning, ...more) => {
  if (!String(warning).startsWith('SQLite is an experimental feature'))
    emitWarning.call(process, warning, ...more);
};
// Let Node keep compiled code, which halves the time of later starts, before it reads the first file with types: what
// removes them takes longer to load than all of `bowline --version`, and is not needed for files that are kept. Whoever
// can write there can run code as this user, so it lies in the user's own folder (as in lib/home.ts), which is closed to
// tools and commands. Whoever makes that folder also decides who may enter it.
const { existsSync } = await import('node:fs');
const { enableCompileCache } = await import('node:module');
const { homedir } = await import('node:os');
const { join, resolve } = await import('node:path');
const home = resolve(process.env.BOWLINE_HOME || join(homedir(), '.bowline'));
if (existsSync(home)) enableCompileCache(join(home, 'compiled'));
await import('./main.ts');
