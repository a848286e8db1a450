import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { redact, redactValue } from '../../../src/core/redact.ts';
import { secretsIn } from '../../../src/core/secret-scan.ts';
import { secretSamples } from '../../support/secret-corpus.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Ordinary code: ours, and packages that are pinned and always installed. */
const OURS = ['src', 'contracts', 'local-bridge', 'scripts'];
const OTHERS = [
  'hono/dist',
  'zod/src',
  'htmlparser2/dist',
  'fast-check/lib',
  '@modelcontextprotocol/client/dist',
];

function filesIn(folder: string): string[] {
  return readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|js|mjs|md|json)$/.test(name) && !/(?:^|\/)node_modules\//.test(name))
    .map((name) => `${folder}/${name}`)
    .sort();
}

function linesOf(files: readonly string[]): string[] {
  return files
    .flatMap((file) => readFileSync(`${root}${file}`, 'utf8').split('\n'))
    .filter((line) => line.trim() !== '');
}

describe('secrets of the published formats', () => {
  const samples = [1, 2, 3].flatMap(secretSamples);

  it('are hidden, all of them', () => {
    const kinds = new Set(samples.map(({ kind }) => kind));
    expect(kinds.size).toBeGreaterThanOrEqual(130);
    expect(samples.length).toBeGreaterThanOrEqual(1_900);
    const missed = samples.filter(({ line, secret }) => redact(line).includes(secret));
    expect(missed).toEqual([]);
  });

  it('leave no piece behind', () => {
    // Eight characters with a digit among them come up nowhere else in these lines.
    const left = samples.filter(({ line, secret }) => {
      const clean = redact(line);
      return [...secret.matchAll(/(?=([A-Za-z0-9]{8}))/g)].some(
        ([, piece = '']) => /\d/.test(piece) && /[A-Za-z]/.test(piece) && clean.includes(piece),
      );
    });
    expect(left).toEqual([]);
  });

  it('are hidden in the middle of other text', () => {
    const around = 'x'.repeat(50_000);
    for (const { line, secret } of secretSamples(4)) {
      expect(redact(`${around}\n${line}\n${around}`)).not.toContain(secret);
    }
  });

  it('are hidden in a list of arguments and under a key as well', () => {
    const commands = samples.filter(
      ({ line }) => /^[a-z]+ [^"'\n]* -|^(?:vault|bao|fly|heroku) /.test(line) && !/[\\"']/.test(line),
    );
    expect(commands.length).toBeGreaterThanOrEqual(70);
    const kept = commands.filter(({ line, secret }) =>
      JSON.stringify(redactValue(line.split(' '))).includes(secret),
    );
    expect(kept).toEqual([]);
    const keys = [
      'password',
      'db_pass',
      'smtpPass',
      'apiKey',
      'contraseña',
      'MotDePasse',
      'senha',
      'ПАРОЛЬ',
      '密码',
      'パスワード',
    ];
    for (const key of keys) expect(redactValue({ [key]: 'sesame' })).toEqual({ [key]: '[redacted:secret]' });
    expect(redactValue({ bypass: 'no', compass: 'x' })).toEqual({ bypass: 'no', compass: 'x' });
    const plain = ['git', 'commit', '-m', 'Use passwords', '-p', 'npm', '--user', 'ada', 'x=1'];
    expect(redactValue(plain)).toEqual(plain);
  });

  it('stay hidden, and nothing more is, when the text comes by again', () => {
    for (const { line } of samples) {
      const once = redact(line);
      expect(redact(once)).toBe(once);
    }
  });
});

describe('ordinary code', () => {
  it.each([
    // In each 10,000 lines at most so many are changed.
    ['ours', OURS, 3],
    ['of others', OTHERS.map((folder) => `node_modules/${folder}`), 6],
  ])('is left as it is, but for a few lines: %s', (_, folders, most) => {
    const lines = linesOf(folders.flatMap(filesIn));
    expect(lines.length).toBeGreaterThan(20_000);
    const changed = lines.filter((line) => redact(line) !== line);
    expect((changed.length / lines.length) * 10_000, changed.join('\n')).toBeLessThanOrEqual(most);
  });

  it('stops no push', () => {
    const files = [...OURS, ...OTHERS.map((folder) => `node_modules/${folder}`)].flatMap(filesIn);
    expect(files.flatMap((file) => secretsIn(file, readFileSync(`${root}${file}`)))).toEqual([]);
  });
});
