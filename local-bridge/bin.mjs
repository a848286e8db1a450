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
const { keepCompiledCode } = await import('./lib/compiled-code.ts');
keepCompiledCode();
await import('./main.ts');
