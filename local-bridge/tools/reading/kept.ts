/** What is kept of a picture. */
export interface Kept {
  readonly kept: readonly Buffer[];
  readonly width: number;
  readonly height: number;
}
