import { describe, expect, it } from 'vitest';
import { openable, openerOf, pageToOpen } from '../../../local-bridge/lib/browser.ts';

describe('an address that is opened', () => {
  it.each([
    'https://bowline.example.workers.dev/authorize?state=a&scope=read+write%20machine#top',
    'http://localhost:8787/authorize?client_id=x',
    'http://127.0.0.1:8787/',
    'http://127.8.9.1/',
    'http://[::1]:8787/',
  ])('stays as it is: %s', (address) => {
    expect(openable(address)).toBe(address);
  });

  it.each([
    ['HTTPS://Example.org', 'https://example.org/'],
    ['  https://example.org/a b  ', 'https://example.org/a%20b'],
    ['\thttps://example.org/', 'https://example.org/'],
    ['https:example.org', 'https://example.org/'],
    ['https://example.org/?a="b"&c=`id`', 'https://example.org/?a=%22b%22&c=%60id%60'],
    ["https://example.org/'$(id)'", 'https://example.org/%27%24(id)%27'],
    ['https://example.org/a|b^c{d}', 'https://example.org/a%7Cb%5Ec%7Bd%7D'],
    ['https://example.org/#a b"c`', 'https://example.org/#a%20b%22c%60'],
    ['https://example.org/\r\n-x', 'https://example.org/-x'],
    ['https://example.org/ü\u202e', 'https://example.org/%C3%BC%E2%80%AE'],
    ['http://127.1/', 'http://127.0.0.1/'],
  ])('has one spelling: %j', (address, spelling) => {
    expect(openable(address)).toBe(spelling);
    for (const platform of ['linux', 'darwin', 'win32', 'freebsd'] as const) {
      const { program, args } = openerOf(platform, spelling);
      expect(args.at(-1)).toBe(spelling);
      expect(args.at(-1)).toMatch(/^https?:\/\/[^\s"'`$<>\\^|{}]+$/);
      expect(program).not.toMatch(/cmd|sh$|start/);
    }
  });

  it.each([
    '',
    '/etc/passwd',
    '-a',
    '--args',
    '--help https://example.org/',
    'calc.exe',
    '\\\\evil.example\\share\\x.exe',
    '//evil.example/x',
    'file:///etc/passwd',
    'FILE:///etc/passwd',
    'fi\tle:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'smb://evil.example/x',
    'ftp://evil.example/x',
    'ms-msdt:/id PCWDiagnostic',
    'search-ms:query=x&crumb=location:\\\\evil.example',
    'vscode://file/x',
    'ssh://-oProxyCommand=id/x',
    'blob:https://example.org/x',
    'view-source:https://example.org/',
    'https://user@example.org/',
    'https://user:password@example.org/',
    'https://bowline.example@evil.example/',
    'http://localhost@evil.example/',
    'http://evil.example/',
    'http://192.168.1.1/',
    'http://localhost.evil.example/',
    'http://127.0.0.1.evil.example/',
    'http://0.0.0.0/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'https://',
    'https://exa mple.org/',
  ])('is refused: %j', (address) => {
    expect(openable(address)).toBeUndefined();
    expect(() => pageToOpen(address, 'The page')).toThrow('may not be opened');
  });

  it('is shown without what moves a cursor when it is refused', () => {
    expect(() => pageToOpen('file:///\u001b]0;x\u0007\u202e', 'The page')).toThrow(/^[^\p{C}]+$/u);
  });
});
