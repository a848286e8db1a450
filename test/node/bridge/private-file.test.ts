import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { writePrivate } from '../../../local-bridge/lib/private-file.ts';

describe('a private file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bowline-private-'));
    return () => rmSync(folder, { recursive: true });
  });

  it('is its user’s alone, in place of what was there', () => {
    const path = join(folder, 'a', 'key');
    writePrivate(path, 'one');
    writePrivate(path, 'two');
    expect(readFileSync(path, 'utf8')).toBe('two');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'a'))).toEqual(['key']);
  });

  it('that cannot be put in its place leaves nothing beside it', () => {
    const path = join(folder, 'taken');
    mkdirSync(join(path, 'by a folder'), { recursive: true });
    expect(() => writePrivate(path, 'secret')).toThrow();
    expect(readdirSync(folder)).toEqual(['taken']);
  });
});
