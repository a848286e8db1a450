import { styleText } from 'node:util';
import * as z from 'zod';
import { visibleLine } from '../../../src/core/visible.ts';
import { localTime } from '../../lib/local-time.ts';

const grade = z.enum(['read_only', 'safe_write', 'dangerous']).nullable();
const tool = z.looseObject({
  name: z.string(),
  wireName: z.string(),
  description: z.string(),
  hash: z.string(),
  flags: z.array(z.string()),
  grade,
  changedAt: z.number().nullable(),
  /** An older gateway proposes nothing. */
  proposal: grade.default(null),
});

/** A server as the owner's API shows it. */
export const serverShape = z.looseObject({
  name: z.string(),
  url: z.string().nullable(),
  machine: z.string().nullable(),
  problem: z.string().nullable(),
  checkedAt: z.number().nullable(),
  tools: z.array(tool),
  leftOut: z.array(z.object({ name: z.string(), reasons: z.array(z.string()) })),
});
export type ShownServer = z.infer<typeof serverShape>;

/** Prints what a server offers, what is left out and why, and what its owner should look at. */
export function showServer({ name, url, machine, problem, tools, leftOut }: ShownServer): void {
  const where = url ?? (machine === null ? 'this machine' : `on ${machine}`);
  console.log(`${styleText('bold', name)}  ${visibleLine(where)}`);
  if (problem) console.log(`  ${styleText('red', '✗')} ${visibleLine(problem)}`);
  const width = Math.max(0, ...tools.map(({ wireName }) => wireName.length));
  for (const { wireName, grade: said, flags, changedAt, proposal } of tools) {
    const proposed = proposal === null ? '' : `; its server proposes ${proposal}`;
    const judged =
      said === null
        ? `not graded, asks each time${proposed}`
        : said === 'read_only'
          ? said
          : `${said}, asks each time`;
    console.log(`  ${visibleLine(wireName.padEnd(width))}  ${styleText('dim', judged)}`);
    if (changedAt !== null) {
      const when = localTime(changedAt);
      console.log(
        `    ${styleText('yellow', '!')} Changed on ${when}, so your earlier grade no longer counts.`,
      );
    }
    for (const flag of flags) console.log(`    ${styleText('yellow', '!')} ${visibleLine(flag)}`);
  }
  for (const { name: left, reasons } of leftOut) {
    console.log(`  ${styleText('dim', `${visibleLine(left)}: left out. ${visibleLine(reasons.join(' '))}`)}`);
  }
}
