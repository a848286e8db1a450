import type { BrowserContextOptions } from 'playwright-core';
import { AT_LENGTH } from '../support/at-length.ts';

export interface Look {
  readonly look: string;
  readonly options: BrowserContextOptions;
}

const light: Look = { look: 'light', options: { colorScheme: 'light' } };
const dark: Look = { look: 'dark', options: { colorScheme: 'dark' } };
export const phone: Look = {
  look: 'on a phone',
  options: { colorScheme: 'light', viewport: { width: 375, height: 720 }, isMobile: true, hasTouch: true },
};

/** The ways a person may be looking. In short, two have both sizes and both colours. */
export const looks: readonly Look[] = AT_LENGTH ? [light, dark, phone] : [dark, phone];
