import { createHash } from 'node:crypto';
import { hasContent } from '../../../src/core/git-blob.ts';
import {
  MAX_BATCH_BYTES,
  MAX_FILES_A_REQUEST,
  type MirroredFile,
  type MirrorStatus,
  type MoreEntries,
  type PushAnswer,
} from '../../../src/core/mirror-push.ts';
import { CliError } from '../../lib/exit.ts';
import type { Tell } from '../../lib/long-work.ts';
import type { MirrorGateway } from './gateway.ts';
import type { Objects } from './git.ts';
import type { Plan } from './plan.ts';
import type { Repo } from './repo.ts';

/** What one request brings at most. */
type Pieces = NonNullable<MirrorStatus['pieces']>;

interface SenderPorts {
  readonly gateway: MirrorGateway;
  readonly objects: Objects;
  /** What the gateway says of pieces; left out by an earlier one, which takes larger requests and no numbers. */
  readonly pieces: Pieces | undefined;
  readonly tell: Tell;
  log(line: string): void;
}

/** Well below what an earlier gateway takes in one request. */
const MAX_LIST_CHARS = 2_000_000;

/** Sends one push: the description of the commit, then the contents that the gateway asks for. */
export class Sender {
  sent = 0;
  sentBytes = 0;
  readonly #ports: SenderPorts;
  readonly #plan: Plan;
  readonly #sizes: ReadonlyMap<string, number>;
  readonly #maxBytes: number;
  #waits = 0;

  constructor(ports: SenderPorts, plan: Plan) {
    this.#ports = ports;
    this.#plan = plan;
    this.#sizes = new Map(plan.files.filter(hasContent).map(({ sha, size }) => [sha, size]));
    this.#maxBytes = ports.pieces?.bytes ?? MAX_BATCH_BYTES;
  }

  async send({ commit, branch }: Repo, open: readonly string[]): Promise<PushAnswer> {
    const { gateway, pieces, tell, log } = this.#ports;
    const { base, committedAt, files } = this.#plan;
    const requests = inRequests(this.#plan, pieces);
    const said = { commit, committedAt, branch, base, open: [...open] };
    const first = requests[0] ?? NOTHING;
    // By its name the gateway finds the push again if this one is interrupted. Another split of it is another push.
    const name = createHash('sha256').update(JSON.stringify({ said, requests })).digest('hex');
    tell('Describing the files to the gateway', 0, files.length);
    let answer = await gateway.open({ ...said, ...first, ...(pieces ? { name } : {}) });
    const begun = answer.kind === 'open' ? (answer.next ?? 1) : 1;
    if (begun > 1 || (answer.kind === 'open' && (answer.ready ?? 0) > 0))
      log(`Going on with a push that was interrupted: ${begun} of ${requests.length} lists are there.`);
    let described = requests.slice(0, begun).reduce((sum, one) => sum + one.files.length, 0);
    for (const [n, entries] of requests.entries()) {
      if (n < begun) continue;
      if (answer.kind !== 'open') return answer;
      tell('Describing the files to the gateway', described, files.length);
      answer = await gateway.more(answer.id, { ...entries, ...(pieces ? { piece: n } : {}) });
      described += entries.files.length;
    }
    while (answer.kind === 'open') {
      this.#tellSent(answer);
      answer = await this.#sendSome(answer.id, answer.lacking);
    }
    if (answer.kind === 'done') tell('Sending files', this.#sizes.size, this.#sizes.size);
    return answer;
  }

  /** Says how far the contents are, with those that an earlier push brought. */
  #tellSent({ ready = 0, rows = 0 }: Extract<PushAnswer, { kind: 'open' }>): void {
    const all = this.#sizes.size;
    const here = rows > 0 ? Math.floor((all * ready) / rows) : 0;
    this.#ports.tell('Sending files', Math.min(all, Math.max(here, this.sent)), all);
  }

  async #sendSome(id: string, lacking: readonly string[]): Promise<PushAnswer> {
    const before = this.sent;
    const blobs: { sha: string; bytes: Buffer }[] = [];
    let bytes = 0;
    for (const sha of lacking) {
      const size = this.#sizes.get(sha);
      // Whatever a gateway asks for, closed files do not leave this computer.
      if (size === undefined)
        throw new CliError(
          'The gateway asked for a file that this push does not contain, so the push was stopped.',
        );
      if (blobs.length > 0 && bytes + size > this.#maxBytes) break;
      blobs.push({ sha, bytes: await this.#ports.objects.read(sha) });
      bytes += size;
    }
    this.sent += blobs.length;
    this.sentBytes += bytes;
    // A gateway that takes pieces also asks for nothing while it brings contents that it has to their new paths.
    if (this.sent === before) this.#waits += 1;
    const isStuck = this.#ports.pieces ? this.#waits > this.#plan.files.length + 1 : this.sent === before;
    if (isStuck || this.sent > this.#sizes.size * 2)
      throw new CliError('The gateway keeps asking for files that it already got, so the push was stopped.');
    return this.#ports.gateway.blobs(id, blobs);
  }
}

const NOTHING: MoreEntries = { files: [], removed: [], complete: true };

/** Splits the list into requests. */
function inRequests({ files, removed }: Plan, pieces: Pieces | undefined): MoreEntries[] {
  const { files: maxFiles, chars: maxChars } = pieces ?? {
    files: MAX_FILES_A_REQUEST,
    chars: MAX_LIST_CHARS,
  };
  const requests: { files: MirroredFile[]; removed: string[]; chars: number }[] = [];
  const placeFor = (chars: number) => {
    const last = requests.at(-1);
    const hasRoom =
      last && last.chars + chars <= maxChars && last.files.length + last.removed.length < maxFiles;
    if (hasRoom) {
      last.chars += chars;
      return last;
    }
    const next = { files: [], removed: [], chars };
    requests.push(next);
    return next;
  };
  for (const file of files) placeFor(JSON.stringify(file).length).files.push(file);
  for (const path of removed) placeFor(JSON.stringify(path).length).removed.push(path);
  return requests.map((one, i) => ({
    files: one.files,
    removed: one.removed,
    complete: i === requests.length - 1,
  }));
}
