import type { Section } from './finding.ts';
import { signInChecks } from './sign-in.ts';
import type { Subject } from './subject.ts';
import { toolChecks } from './tools.ts';

/** Lists each vendor's way in, step by step. */
export function handshakeSections(subject: Subject): Section[] {
  return subject.vendors.map((vendor) => ({
    title: vendor.name,
    async *look() {
      let broken = false;
      for await (const finding of signInChecks(subject, vendor)) {
        broken ||= finding.state === 'failed';
        yield finding;
      }
      // If an app cannot get past a step, later checks say nothing about the app.
      if (!broken) yield* toolChecks(subject, vendor);
    },
  }));
}
