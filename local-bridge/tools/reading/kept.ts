import type { Turn } from './exif.ts';

/** What is kept of a picture. */
export interface Kept {
  readonly kept: readonly Buffer[];
  readonly width: number;
  readonly height: number;
  /** How a JPEG says that it lies. */
  readonly turn?: Turn | undefined;
}
