import type { Control } from './control.ts';

const BEGIN = '<!-- controls: written by `node scripts/controls.ts --write` -->';
const END = '<!-- end of controls -->';

/** A page with the table of controls between its two marks, whatever stood there. */
export function withTable(page: string, controls: readonly Control[]): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error('The page has no marks for the table.');
  return `${before}${BEGIN}\n${table(controls)}\n${END}${after}`;
}

function table(controls: readonly Control[]): string {
  const rows = controls.map(({ id, promise, tests }) => {
    const named = tests.map((test) => `\`${test}\``).join(', ');
    return `| \`${id}\` | ${promise.replaceAll('|', '\\|')} | ${named} |`;
  });
  return ['| control | promise | noticed by |', '|---|---|---|', ...rows].join('\n');
}
