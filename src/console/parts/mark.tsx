/** A rope that makes a loop and passes under itself, on a square of 24. */
export const MARK_PATH =
  'M6.8 2c.2 7.4 11.9 6.8 11.9 13.9a6.7 6.1 0 0 1-13.4 0c0-2.3 1-3.9 2.6-5.3M14.4 6.4c1.8-1.3 2.7-2.7 2.8-4.4';

/** Draws the product's sign, in the colour of the text around it. */
export function Mark() {
  return (
    <svg
      width="24"
      height="24"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2.2"
      stroke-linecap="round"
      aria-hidden="true"
    >
      <path d={MARK_PATH} />
    </svg>
  );
}
