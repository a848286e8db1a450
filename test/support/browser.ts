import { existsSync } from 'node:fs';
import chromiumPackage from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';
import { browserPath } from './browser-path.ts';

/** Flags that keep a headless browser from calling home, as well as those the packaged one needs. */
const QUIET = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-gpu',
];

/**
 * What the package asks for besides: `--single-process` takes the whole browser down with one page, and
 * `--disable-web-security` and its like take away what people's browsers protect them with.
 */
const UNWANTED =
  /single-process|headless|no-zygote|gl=|angle|swiftshader|gpu|web-security|site-isolation|insecure-content|disable-features/;

/** A real browser: the packaged one on Linux, an installed Chrome elsewhere. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = await browserPath();
  if (executablePath === undefined) return chromium.launch({ channel: 'chrome', args: QUIET });
  if (!existsSync(executablePath)) throw new Error(`There is no browser at ${executablePath}.`);
  const args = chromiumPackage.args.filter((arg) => !UNWANTED.test(arg));
  return chromium.launch({ executablePath, args: [...args, ...QUIET], headless: true });
}
