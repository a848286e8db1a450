import type { Preview } from '../../contracts/preview.ts';
import { ApprovalPage } from '../../src/console/approvals/approval-page-view.tsx';
import { Page } from '../../src/console/parts/layout.tsx';
import type { FullApproval } from '../../src/gate/approval-rows.ts';
import { approvalView } from '../../src/gate/approval-view.ts';
import type { Before } from '../../src/gate/came-before.ts';

/** A diff of as many lines as are wanted. */
export function diffOf(lines: number): string {
  const changes = Array.from(
    { length: lines },
    (_, at) => `${'-+ '[at % 3]}  const value${at} = read(${at}, 'a/rather/long/path.json');`,
  );
  return [
    '--- src/db.ts',
    '+++ src/db.ts',
    '@@ -10,40 +10,40 @@ export function open()',
    ...changes,
    '',
  ].join('\n');
}

/** What somebody saw who looked. */
export function preview(change: Partial<Preview> = {}): Preview {
  return { facts: [], files: null, diff: null, state: null, ...change };
}

/** An approval that waits, with whatever is to be different about it. */
export function waitingApproval({
  args,
  ...change
}: Partial<Omit<FullApproval, 'args'>> & { args?: object } = {}) {
  const now = Date.now();
  return approvalView({
    id: 'id',
    code: 'K7QX-3M9D',
    digest: 'd',
    sent: '',
    principal: 'app:claude',
    client: 'Claude',
    tool: 'run_in_terminal',
    machine: 'mini',
    root: 'shop',
    risk: 'dangerous',
    state: 'pending',
    openedAt: now - 20_000,
    expiresAt: now + 580_000,
    decidedAt: null,
    decidedBy: null,
    consumedAt: null,
    told: false,
    shown: { preview: preview() },
    note: null,
    reason: null,
    args: JSON.stringify(args ?? { command: 'npm test -- db', repeat: false, timeout_seconds: 30 }),
    ...change,
  });
}

/** The page of an approval, as the gateway writes it. */
export function approvalHtml(
  approval: ReturnType<typeof waitingApproval>,
  before: Before = { same: null, like: null },
  held = true,
): string {
  const children = ApprovalPage({
    approval: { ...approval, before, held, ran: null },
    csrf: 'csrf',
    always: [
      {
        width: 'exact',
        words: 'Exactly `npm test -- db` in shop on mini',
        checked: 0,
        passed: 0,
        denied: 0,
        lastDenied: null,
      },
      {
        width: 'like',
        words: '`npm test` with other arguments in shop on mini',
        checked: 40,
        passed: 12,
        denied: 1,
        lastDenied: 7,
      },
      { width: 'tool', problem: 'This is dangerous and does not run in a sandbox, so each is asked about.' },
    ],
  });
  return `<!doctype html>${String(Page({ title: 'Approval K7QX-3M9D', within: 'Approvals', csrf: 'csrf', children }))}`;
}
