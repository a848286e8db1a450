import type { PreparedCall } from '../core/prepared-call.ts';
import { visibleLine } from '../core/visible.ts';
import type { GateStub } from './gate-stub.ts';
import type { OpenApproval } from './messages.ts';
import type { Notice } from './notice.ts';
import { makeVapidKeys, type NoticeOutcome, sendNotice } from './notify.ts';

interface AnnouncePorts {
  gate(): GateStub;
  readonly origin: string;
  report(error: unknown, where: string): void;
}

/** Tells the owner on every channel that a call waits for them. The page shows what the call would do. */
export function announcer({ gate, origin, report }: AnnouncePorts) {
  return async (approval: OpenApproval, { contract, caller }: PreparedCall): Promise<void> => {
    const notice = {
      title: `${contract.wireName} waits for you`,
      body: `${visibleLine(caller.client, 60)} asks. Code ${approval.code}.`,
      url: `${origin}/approvals/${approval.code}`,
      tag: approval.code,
    };
    const { failures } = await tellOwner(gate(), notice, origin);
    for (const failure of failures) report(new Error(failure), 'notify');
  };
}

/** Sends a notice to every channel that is set, and forgets the browsers that are gone. */
export async function tellOwner(stub: GateStub, notice: Notice, origin: string): Promise<NoticeOutcome> {
  const { webhooks, push } = await stub.channels();
  if (webhooks.length === 0 && push.length === 0) return { delivered: 0, gone: [], failures: [] };
  const channels = { webhooks, push, vapid: push.length > 0 ? await pushKeys(stub) : undefined };
  const contact = origin.startsWith('https:') ? origin : LOCAL_CONTACT;
  const outcome = await sendNotice(notice, channels, { fetch, contact });
  if (outcome.gone.length > 0) {
    await stub.changeSetting(
      'push',
      push.filter(({ endpoint }) => !outcome.gone.includes(endpoint)),
    );
  }
  return outcome;
}

/** Push services want a contact address, and a gateway on its owner's own computer has none. */
const LOCAL_CONTACT = 'mailto:owner@localhost';

/**
 * Gives the keys that sign pushes. Makes them once and keeps them, because a browser takes no push with
 * another key.
 */
export async function pushKeys(stub: GateStub) {
  const { vapid } = await stub.channels();
  if (vapid) return vapid;
  const keys = await makeVapidKeys();
  await stub.changeSetting('vapid', keys);
  return keys;
}
