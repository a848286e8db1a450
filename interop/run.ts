import { once } from 'node:events';
import { type Candidate, catalogue } from './catalogue.ts';
import type { Task } from './client.ts';
import { connects } from './clients/index.ts';
import { ownerOfComputer, ownerOfGateway } from './owner.ts';
import { takeWalk } from './walk.ts';

// One client in a process of its own, which `scripts/interop.ts` starts and ends. What it prints is its own
// affair; what happens goes to the parent as messages.

// Nobody is left to end it.
process.once('disconnect', () => process.exit(1));
const [{ key, endpoint, gateway, offered }] = (await once(process, 'message')) as [Task];
const candidate: Candidate = catalogue[key];
const owner =
  candidate.against === 'gateway'
    ? await ownerOfGateway(gateway.url, gateway.ownerKey)
    : await ownerOfComputer(endpoint.folder);
await takeWalk({ key, candidate, connect: connects[key], endpoint, owner, offered }, (result) =>
  process.send?.(result),
);
await owner.leave();
// Whatever the client left open.
process.exit();
