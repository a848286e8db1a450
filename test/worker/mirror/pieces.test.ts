import { evictDurableObject } from 'cloudflare:test';
import { beforeAll, describe, expect, it } from 'vitest';
import { blobSha, utf8Text } from '../../../src/core/git-blob.ts';
import { type MoreEntries, type NewPush, PIECES, type PushAnswer } from '../../../src/core/mirror-push.ts';
import type { Mirror } from '../../../src/mirror/mirror-port.ts';
import { AT_LENGTH } from '../../support/at-length.ts';
import { personalToken } from '../auth/owner.ts';
import { send } from '../http.ts';
import { commitOf, described, inMirror, newMirror, pushed, sendLacking, TESTS } from './support.ts';
import { outputOf, repoTools } from './tools.ts';

/** A push of so many files in pieces of so many, as `bowline` sends it. */
function inPieces(commit: string, files: number, size: number, over: Partial<NewPush> = {}) {
  const many = Object.fromEntries(
    Array.from({ length: files }, (_, n) => [`docs/${n % 7}/${n}.md`, `number ${n} of ${commit}`]),
  );
  const { push, contents } = described(commit, many, over);
  const name = blobSha(new TextEncoder().encode(`${commit} ${size}`), '0'.repeat(64));
  const pieces: (MoreEntries & { piece: number })[] = [];
  for (let at = 0; at < files; at += size)
    pieces.push({
      ...{ piece: pieces.length, files: push.files.slice(at, at + size), removed: [] },
      complete: at + size >= files,
    });
  const { piece: _, ...start } = pieces[0] ?? { piece: 0, files: [], removed: [], complete: true };
  return { start: { ...push, ...start, name }, pieces, contents };
}

type Pieces = ReturnType<typeof inPieces>;

/** Describes a push to its end, from the piece that is due. */
async function describeAll(mirror: Mirror, { start, pieces }: Pieces): Promise<PushAnswer> {
  let answer = await mirror.stub().open(start, TESTS);
  while (answer.kind === 'open' && (answer.next ?? 0) < pieces.length) {
    const piece = pieces[answer.next ?? 0];
    if (piece) answer = await mirror.stub().stage(answer.id, piece);
  }
  return answer;
}

const commitShown = async (mirror: Mirror) => (await mirror.stub().status()).commit;

describe('a push in pieces', () => {
  it('goes on where it was, whatever was killed, and shows all of it or nothing', async () => {
    const mirror = newMirror();
    await pushed(mirror, 'before', { 'docs/a.md': 'before' });
    const push = inPieces('killed', 14, 3);
    // Everybody forgets everything after each step: the pusher starts anew, and the object is evicted.
    const described: number[] = [];
    let answer: PushAnswer = await mirror.stub().open(push.start, TESTS);
    for (;;) {
      await evictDurableObject(mirror.stub());
      answer = await mirror.stub().open(push.start, TESTS);
      if (answer.kind !== 'open') break;
      expect(await commitShown(mirror)).toBe(commitOf('before'));
      const { id, next = 0, lacking } = answer;
      const piece = push.pieces[next];
      if (piece) {
        described.push(next);
        await mirror.stub().stage(id, piece);
        continue;
      }
      const [sha = ''] = lacking;
      const bytes = push.contents.get(sha) ?? new Uint8Array();
      await mirror.blobs.put(sha, bytes);
      await mirror.stub().arrived(id, [{ sha, text: utf8Text(bytes) ?? '' }]);
    }
    expect(answer).toEqual({ kind: 'done', commit: commitOf('killed'), files: 14 });
    expect(described).toEqual([1, 2, 3, 4]);
    expect(await commitShown(mirror)).toBe(commitOf('killed'));
    const { results } = outputOf<{ results: unknown[] }>(await repoTools(mirror).search('killed'));
    expect(results.length).toBeGreaterThan(5);
  });

  it('takes each step twice, and also its end', async () => {
    const mirror = newMirror();
    const push = inPieces('twice', 5, 2);
    const answer = await describeAll(mirror, push);
    if (answer.kind !== 'open') throw new Error('not open');
    for (const piece of push.pieces.slice(1))
      expect(await mirror.stub().stage(answer.id, piece)).toEqual(answer);
    expect(await mirror.stub().open(push.start, TESTS)).toEqual(answer);
    const arrived = answer.lacking.map((sha) => ({ sha, text: 'x' }));
    for (const { sha } of arrived) await mirror.blobs.put(sha, push.contents.get(sha) ?? new Uint8Array());
    const done = { kind: 'done', commit: commitOf('twice'), files: 5 };
    expect(await mirror.stub().arrived(answer.id, arrived)).toEqual(done);
    expect(await mirror.stub().arrived(answer.id, arrived)).toEqual(done);
    expect(await mirror.stub().open(push.start, TESTS)).toEqual(done);
    expect(await inMirror(mirror, (sql) => sql.exec('SELECT id FROM push').toArray())).toEqual([]);
    // Afterwards its pieces are stale.
    expect(await mirror.stub().stage(answer.id, push.pieces[1] ?? push.start)).toEqual({
      kind: 'unknown_push',
    });
  });

  it('is another push for somebody else', async () => {
    const mirror = newMirror();
    const push = inPieces('whose', 5, 2);
    const mine = await describeAll(mirror, push);
    const theirs = await mirror.stub().open(push.start, { principal: 'token:other', by: 'other' });
    expect(theirs).toMatchObject({ kind: 'open', next: 1 });
    expect(mine).toMatchObject({ kind: 'open', next: 3 });
  });

  it('makes room for a later one of its pusher when 16 are unfinished', async () => {
    const mirror = newMirror();
    const begun: string[] = [];
    const begin = async (name: string, principal: string) => {
      const answer = await mirror.stub().open(inPieces(name, 3, 2).start, { principal, by: principal });
      if (answer.kind === 'open') begun.push(answer.id);
    };
    const kept = async () => {
      const rows = await inMirror(mirror, (sql) => sql.exec('SELECT DISTINCT push FROM piece').toArray());
      return new Set(rows.map(({ push }) => push));
    };
    await begin('of another', 'token:other');
    for (let n = 1; n <= 16; n++) await begin(`unfinished ${n}`, 'token:tests');
    expect(await kept()).toEqual(new Set(begun));
    await begin('unfinished 17', 'token:tests');
    expect(begun).toHaveLength(18);
    const [ofAnother = '', dropped = '', ...later] = begun;
    expect(await kept()).toEqual(new Set([ofAnother, ...later]));
    const next = inPieces('unfinished 1', 3, 2).pieces[1];
    expect(next && (await mirror.stub().stage(dropped, next))).toEqual({ kind: 'unknown_push' });
  });

  it('is not taken for shown because somebody else showed another one under its name', async () => {
    const mirror = newMirror();
    const mine = inPieces('mine', 3, 3);
    const theirs = inPieces('theirs', 3, 3).start;
    const { commit, name } = mine.start;
    // Whoever knows the repo knows the name that its next push has.
    const opened = await mirror
      .stub()
      .open({ ...theirs, commit, name }, { principal: 'token:other', by: 'other' });
    expect(await sendLacking(mirror, opened, inPieces('theirs', 3, 3).contents)).toMatchObject({
      kind: 'done',
    });
    expect(await commitShown(mirror)).toBe(commit);
    const answer = await mirror.stub().open(mine.start, TESTS);
    expect(answer).toMatchObject({ kind: 'open' });
    expect(await sendLacking(mirror, answer, mine.contents)).toMatchObject({ kind: 'done' });
    const shown = await inMirror(mirror, (sql) => sql.exec('SELECT sha FROM file ORDER BY path').toArray());
    expect(shown.map(({ sha }) => sha).sort()).toEqual(mine.start.files.map(({ sha }) => sha).sort());
  });

  it('reads no more contents again in one request than a plan allows, and ends nevertheless', async () => {
    const mirror = newMirror();
    const many = AT_LENGTH ? 2_000 : 900;
    const before = inPieces('here', many, 500);
    await sendLacking(mirror, await describeAll(mirror, before), before.contents);
    const moved = inPieces('here', many, 500);
    const elsewhere = moved.pieces.map((piece) => ({
      ...piece,
      files: piece.files.map((file) => ({ ...file, path: `paths/${file.path}` })),
    }));
    const [start] = elsewhere;
    const push = {
      ...moved,
      pieces: elsewhere,
      start: {
        ...moved.start,
        files: start?.files ?? [],
        commit: commitOf('moved'),
        name: 'f'.repeat(64),
      },
    };
    let answer = await describeAll(mirror, push);
    let waits = 0;
    while (answer.kind === 'open') {
      expect(answer.lacking).toEqual([]);
      waits += 1;
      expect(await commitShown(mirror)).toBe(commitOf('here'));
      answer = await mirror.stub().arrived(answer.id, []);
    }
    expect(waits).toBe(Math.floor(many / PIECES.reads));
    expect(answer).toMatchObject({ kind: 'done', files: many });
  });

  it('asks for at most as many contents as a request may bring', async () => {
    for (const files of [PIECES.contents - 1, PIECES.contents, PIECES.contents + 1]) {
      const mirror = newMirror();
      const answer = await describeAll(mirror, inPieces(`asks ${files}`, files, 150));
      if (answer.kind !== 'open') throw new Error('not open');
      expect(answer.lacking).toHaveLength(Math.min(files, PIECES.contents));
    }
  });

  it('writes four rows a file, so that a large repo fits into a day of the free plan', async () => {
    const files = AT_LENGTH ? 5_000 : 2_000;
    const mirror = newMirror();
    const push = inPieces('rows', files, PIECES.files);
    const counted = await inMirror(mirror, (sql) => {
      let written = 0;
      const prototype: SqlStorage = Object.getPrototypeOf(sql);
      const { exec } = prototype;
      const cursors: { readonly rowsWritten: number }[] = [];
      prototype.exec = function (this: SqlStorage, ...asked: Parameters<SqlStorage['exec']>) {
        const cursor = exec.apply(this, asked);
        cursors.push(cursor);
        return cursor;
      } as typeof exec;
      return {
        taken: () => {
          for (const { rowsWritten } of cursors.splice(0)) written += rowsWritten;
          return written;
        },
        stop: () => {
          prototype.exec = exec;
        },
      };
    });
    try {
      const answer = await sendLacking(mirror, await describeAll(mirror, push), push.contents);
      expect(answer).toMatchObject({ kind: 'done', files });
      expect(counted.taken() / files).toBeLessThan(4.3);
      expect(counted.taken() / files).toBeGreaterThan(3.5);
    } finally {
      counted.stop();
    }
  });
});

describe('a piece over HTTP', () => {
  let headers: Record<string, string>;
  beforeAll(async () => {
    const { secret } = await personalToken(['read', 'push']);
    headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  });
  const post = async (path: string, body: unknown) => {
    const answer = await send(`/api/mirror${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return [answer.status, await answer.json()] as const;
  };
  const begun = async (push: Pieces) => {
    const [, answer] = await post('/pushes', push.start);
    return (answer as { id: string }).id;
  };

  it.each([
    ['before its turn', { piece: 2 }, 409, 'Piece 2 of the push came before piece 1'],
    ['without its number', { piece: undefined }, 409, 'came without its number'],
    ['with the number of the first', { piece: 0 }, 400, 'piece'],
  ])('is refused %s, and the push goes on', async (how, wrong, code, message) => {
    const push = inPieces(how, 6, 2);
    const id = await begun(push);
    expect(await post(`/pushes/${id}/files`, { ...push.pieces[1], ...wrong })).toMatchObject([
      code,
      { code: 'invalid_input', message: expect.stringContaining(message) },
    ]);
    expect(await post(`/pushes/${id}/files`, push.pieces[1])).toMatchObject([200, { kind: 'open', next: 2 }]);
    const changed = { ...push.pieces[1], removed: ['docs/other.md'] };
    expect(await post(`/pushes/${id}/files`, changed)).toMatchObject([
      409,
      { message: 'Piece 1 of the push came again with other files, so it was refused.' },
    ]);
    expect(await post('/pushes', { ...push.start, removed: ['docs/other.md'] })).toMatchObject([
      409,
      { message: 'Piece 0 of the push came again with other files, so it was refused.' },
    ]);
    expect(await post(`/pushes/${id}/files`, push.pieces[2])).toMatchObject([200, { next: 3 }]);
    const late = { ...push.pieces[2], piece: 3 };
    for (const piece of [3, 4])
      expect(await post(`/pushes/${id}/files`, { ...late, piece })).toMatchObject([
        409,
        { message: `Piece ${piece} came after the last piece of the push, so it was refused.` },
      ]);
    const shown = await (await send('/api/mirror', { headers })).json();
    expect(shown).not.toMatchObject({ commit: commitOf(how) });
    expect(shown).toMatchObject({ pieces: { files: PIECES.files, bytes: PIECES.bytes } });
  });

  it('that names a path a second time ends the push', async () => {
    const push = inPieces('named twice', 4, 2);
    const id = await begun(push);
    const again = { ...push.pieces[1], files: push.pieces[0]?.files };
    const [status, said] = await post(`/pushes/${id}/files`, again);
    expect([status, said]).toMatchObject([
      400,
      { message: expect.stringMatching(/^The push names docs.* twice/) },
    ]);
    expect((await post(`/pushes/${id}/files`, push.pieces[1]))[0]).toBe(404);
  });

  it.each([4_999, 5_000, 5_001])('of an earlier `bowline` has %d files', async (files) => {
    const { name: _, ...push } = inPieces(`old ${files}`, files, files).start;
    const [status, said] = await post('/pushes', push);
    if (files > 5_000) return expect([status, said]).toMatchObject([400, { code: 'invalid_input' }]);
    expect([status, said]).toMatchObject([200, { kind: 'open' }]);
    expect((said as { lacking: string[] }).lacking).toHaveLength(800);
  });
});
