import { MAX_FILE_BYTES, type Mode } from '../core/git-blob.ts';
import { MAX_FILES } from '../core/mirror-push.ts';

/** Limits for an archive. */
export interface ArchiveLimits {
  readonly entries: number;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  /** The most that an archive larger than `ratioFrom` may unpack to, as a multiple of its own size. */
  readonly ratio: number;
  readonly ratioFrom: number;
}

export const ARCHIVE_LIMITS: ArchiveLimits = {
  entries: MAX_FILES,
  packedBytes: 256 * 1024 * 1024,
  unpackedBytes: 2 * 1024 * 1024 * 1024,
  ratio: 60,
  ratioFrom: 32 * 1024 * 1024,
};

/** An archive that is not unpacked any further, and why. */
export class ArchiveRefused extends Error {
  override name = 'ArchiveRefused';
}

interface ArchivedFile {
  readonly path: string;
  readonly mode: Mode;
  readonly size: number;
  /** Reads the content, which has to fit into memory. If nobody reads it, it is skipped. */
  bytes(): Promise<Uint8Array>;
}

/** Lists the files of a repo's `tar.gz` as GitHub packs it. All are in one folder, whose name means nothing. */
export async function* filesInArchive(
  packed: ReadableStream<Uint8Array>,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): AsyncGenerator<ArchivedFile> {
  // Few gateways ever read an archive, so none loads its reader at start.
  const { createTarDecoder } = await import('modern-tar');
  const entries = unpacked(packed, limits).pipeThrough(createTarDecoder({ strict: true }));
  const reader = entries.getReader();
  let count = 0;
  let folder: string | undefined;
  try {
    for (;;) {
      const { done, value: entry } = await reader.read();
      if (done) return;
      const { name, type = 'file', size, mode = 0o644 } = entry.header;
      count += 1;
      if (count > limits.entries) throw new ArchiveRefused(`It holds more than ${limits.entries} entries.`);
      if (type === 'pax-global-header') continue;
      const { top, path } = placeOf(name);
      folder ??= top;
      if (top !== folder) throw new ArchiveRefused('It holds more than one folder.');
      let isRead = false;
      if (type === 'file' || type === 'symlink') {
        if (path === '') throw new ArchiveRefused('It holds a file outside its folder.');
        const kind: Mode = type === 'symlink' ? '120000' : mode & 0o100 ? '100755' : '100644';
        yield {
          path,
          mode: kind,
          size,
          bytes: async () => {
            isRead = true;
            return readAll(entry.body, size);
          },
        };
      } else if (type !== 'directory') {
        throw new ArchiveRefused(`It holds a ${type}, which no repo has.`);
      }
      if (!isRead) await entry.body.cancel();
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * Splits a name into the folder and the path in it. A name that could lead out of the folder means a forged archive.
 */
function placeOf(name: string): { top: string; path: string } {
  const parts = name.replace(/\/$/, '').split('/');
  if (name.includes('\\') || /^[a-z]:/i.test(name) || parts.some((part) => ['', '.', '..'].includes(part))) {
    throw new ArchiveRefused(
      `It holds the name ${JSON.stringify(name.slice(0, 100))}, which leads elsewhere.`,
    );
  }
  return { top: parts[0] ?? '', path: parts.slice(1).join('/') };
}

function unpacked(packed: ReadableStream<Uint8Array>, limits: ArchiveLimits): ReadableStream<Uint8Array> {
  let packedBytes = 0;
  let unpackedBytes = 0;
  const countPacked = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      packedBytes += chunk.byteLength;
      if (packedBytes > limits.packedBytes)
        throw new ArchiveRefused(`It is over ${limits.packedBytes} bytes.`);
      controller.enqueue(chunk);
    },
  });
  const countUnpacked = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      unpackedBytes += chunk.byteLength;
      if (unpackedBytes > limits.unpackedBytes)
        throw new ArchiveRefused(`It unpacks to more than ${limits.unpackedBytes} bytes.`);
      if (unpackedBytes > limits.ratioFrom && unpackedBytes > limits.ratio * packedBytes)
        throw new ArchiveRefused(`It unpacks to more than ${limits.ratio} times its size.`);
      controller.enqueue(chunk);
    },
  });
  const gunzip = new DecompressionStream('gzip') as unknown as ReadableWritablePair<Uint8Array, Uint8Array>;
  return packed.pipeThrough(countPacked).pipeThrough(gunzip).pipeThrough(countUnpacked);
}

async function readAll(body: ReadableStream<Uint8Array>, size: number): Promise<Uint8Array> {
  if (size > MAX_FILE_BYTES) throw new Error('Files of this size are not read.');
  const bytes = new Uint8Array(size);
  let at = 0;
  for await (const chunk of body) {
    if (at + chunk.byteLength > size) throw new ArchiveRefused('It holds a file longer than it says.');
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  if (at !== size) throw new ArchiveRefused('It ends in the middle of a file.');
  return bytes;
}
