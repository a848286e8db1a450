import chromiumPackage from '@sparticuz/chromium';

/**
 * Gives the path of the browser: of the packaged one on Linux, which the first call on a computer unpacks. Gives nothing
 * where an installed Chrome is used.
 */
export async function browserPath(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  return process.env.CHROME_PATH ?? (await chromiumPackage.executablePath());
}
