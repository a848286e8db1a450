// Draws the console's icons from its mark, and writes them as base64 to src/console/parts/icons.ts: `node
// scripts/icons.ts`.
import { readFileSync, writeFileSync } from 'node:fs';
import { openBrowser } from '../test/support/browser.ts';

/** The size in pixels, and the mark's share of it. In an icon that may be masked, the mark stays in the middle. */
const wanted = {
  'icon-180.png': [180, 0.66],
  'icon-192.png': [192, 0.68],
  'icon-512.png': [512, 0.68],
  'icon-maskable-512.png': [512, 0.52],
} as const;

// Node runs TypeScript but not JSX, so the path is read out of the text.
const source = readFileSync(new URL('../src/console/parts/mark.tsx', import.meta.url), 'utf8');
const [, path] = /MARK_PATH =\s*'([^']+)'/.exec(source) ?? [];
if (!path) throw new Error('There is no MARK_PATH in src/console/parts/mark.tsx.');

const browser = await openBrowser();
try {
  const page = await browser.newPage();
  const lines: string[] = [];
  for (const [name, [size, share]] of Object.entries(wanted)) {
    const scale = (size * share) / 24;
    const shift = (size - 24 * scale) / 2;
    await page.setViewportSize({ width: size, height: size });
    await page.setContent(
      `<style>body{margin:0}</style><svg width="${size}" height="${size}" style="display:block">
        <rect width="100%" height="100%" fill="#0b5c6b"/>
        <path transform="translate(${shift} ${shift}) scale(${scale})" d="${path}" fill="none" stroke="#f6f5f2"
          stroke-width="2.4" stroke-linecap="round"/></svg>`,
    );
    const png = await page.screenshot({ type: 'png' });
    lines.push(`  '${name}':\n    '${png.toString('base64')}',`);
  }
  const text = `// Written by scripts/icons.ts.\n\n/** The console's icons by name, as base64. */\nexport const icons: Readonly<Record<string, string>> = {\n${lines.join('\n')}\n};\n`;
  writeFileSync(new URL('../src/console/parts/icons.ts', import.meta.url), text);
} finally {
  await browser.close();
}
