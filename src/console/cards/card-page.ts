/// <reference path="../browser/text.d.ts" />
import { createHash } from 'node:crypto';
import script from './card.browser.ts?text';
import styles from './card.css?text';

const named = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * Lets in the card's own script and styles and nothing else, whatever the program that shows it lets in: no address, no
 * picture, no frame, no form, and no text that would become markup.
 */
const POLICY = [
  "default-src 'none'",
  `script-src ${named(script)}`,
  `style-src ${named(styles)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Gives the page that each card in a chat is. It is the same for everybody and holds nothing of anybody's. */
export function cardPage(): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><meta name="viewport" content="width=device-width"><title>Bowline</title><style>${styles}</style></head><body><main><p>The call is on its way.</p></main><script>${script}</script></body></html>`;
}
