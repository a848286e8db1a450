import { Hono } from 'hono';
import * as z from 'zod';
import { utf8Bytes } from '../../contracts/bytes.ts';
import { MAX_ENTRY_BYTES, MEMORY_FILES, writeMemoryEntry } from '../../contracts/memory.ts';
import { doorFailure } from '../core/failure.ts';
import { JsonRefused, parseStrictJson } from '../core/json.ts';
import { bodyOf, failed, ok } from '../http/json-http.ts';
import { lockedFailure } from '../memory/memory-failures.ts';
import type { Memory } from '../memory/memory-port.ts';
import type { AuthPorts } from '../owner/auth-ports.ts';
import { ownerOnly } from '../owner/owner-http.ts';
import { idemOf, lineOf } from '../tools/memory.ts';

const exportQuery = z.strictObject({ after: z.coerce.number().int().min(0).default(0) });
const tailQuery = z.strictObject({
  file: z.enum(MEMORY_FILES),
  lines: z.coerce.number().int().min(1).max(1_000).default(10),
});
const importBody = z.strictObject({
  file: z.enum(MEMORY_FILES),
  /** Lines with their place in the file they come from, so that equal lines stay as many as they were. */
  lines: z.array(z.strictObject({ text: z.string().min(1), nth: z.int().min(1) })).max(500),
});

/** The most of the log that one answer carries. */
const PAGE_CHARS = 1_000_000;

/** Lets the owner read the whole memory, and import what was written before. */
export function memoryOwnerRoutes({ auth, memory }: { auth: AuthPorts; memory: Memory }): Hono {
  const app = new Hono();
  const asOwner = ownerOnly(auth);

  app.get('/export', (c) =>
    asOwner(c, async () => {
      const query = exportQuery.safeParse(c.req.query());
      if (!query.success)
        return failed(doorFailure('invalid_input', { message: '`after` is a whole number.' }));
      return ok(await memory.stub().export(query.data.after, PAGE_CHARS));
    }),
  );
  app.get('/checkpoints', (c) =>
    asOwner(c, async () =>
      ok({ checkpoints: await memory.stub().checkpoints(), key: (await memory.publicKey()) ?? null }),
    ),
  );
  app.get('/tail', (c) =>
    asOwner(c, async () => {
      const query = tailQuery.safeParse(c.req.query());
      if (!query.success) {
        const message = `\`file\` is one of ${MEMORY_FILES.join(', ')}, and \`lines\` is from 1 to 1000.`;
        return failed(doorFailure('invalid_input', { message }));
      }
      const entries = await memory.stub().lastLines(query.data.file, query.data.lines);
      return 'locked' in entries ? failed(lockedFailure(entries.locked)) : ok({ entries });
    }),
  );
  app.post('/entries', (c) =>
    asOwner(c, async () => {
      const body = await bodyOf(c.req.raw, writeMemoryEntry.input);
      if ('failure' in body) return failed(body.failure);
      const { file, entry, repeat } = writeMemoryEntry.input.parse(body.value);
      const text = lineOf(entry);
      const appended = await memory.append({ file, body: text, idem: idemOf(file, entry, repeat) });
      return 'locked' in appended ? failed(lockedFailure(appended.locked)) : ok(appended);
    }),
  );
  app.post('/import', (c) =>
    asOwner(c, async () => {
      const body = await bodyOf(c.req.raw, importBody, MAX_IMPORT_BYTES);
      if ('failure' in body) return failed(body.failure);
      const { file, lines } = body.value;
      // An entry of Markdown may have many lines.
      const broken = file.endsWith('.md') ? /\r/ : /[\n\r]/;
      const tooLong = lines.find(({ text }) => utf8Bytes(text) > MAX_ENTRY_BYTES || broken.test(text));
      if (tooLong) {
        const message = `An entry is over ${MAX_ENTRY_BYTES} bytes or holds a line break: ${tooLong.text.slice(0, 60)}…`;
        return failed(doorFailure('invalid_input', { message }));
      }
      const noObject = file.endsWith('.jsonl') ? lines.find(({ text }) => !isJsonObject(text)) : undefined;
      if (noObject) {
        const message = `A line of ${file} is not one JSON object: ${noObject.text.slice(0, 60)}`;
        return failed(doorFailure('invalid_input', { message }));
      }
      const entries = lines.map(({ text, nth }) => ({
        file,
        body: text,
        // The first of equal lines gets the idem of `write_memory_entry`. Further ones get one of their own.
        idem: nth === 1 ? idemOf(file, text, false) : `${idemOf(file, text, false)}:import:${nth}`,
      }));
      const done = await memory.appendAll(entries);
      return 'locked' in done ? failed(lockedFailure(done.locked)) : ok(done);
    }),
  );
  return app;
}

function isJsonObject(text: string): boolean {
  try {
    const value = parseStrictJson(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch (error) {
    if (error instanceof JsonRefused) return false;
    throw error;
  }
}

/** Five hundred lines of the greatest length, with the most that JSON adds to them. */
const MAX_IMPORT_BYTES = 16 * 1024 * 1024;
