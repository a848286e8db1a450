/** Tells which squares of an address's picture are dark. */
export async function qrRows(text: string): Promise<readonly (readonly boolean[])[]> {
  // Only one page needs it, so loading it must not delay the gateway's start.
  const { encode } = await import('uqr');
  return encode(text, { ecc: 'M', border: 2 }).data;
}

/** Draws an address for a phone's camera. It is on white in every theme, because cameras expect that. */
export function QrCode({
  rows,
  label,
}: {
  readonly rows: readonly (readonly boolean[])[];
  readonly label: string;
}) {
  const size = rows.length;
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={pathOf(rows)} fill="#000" />
    </svg>
  );
}

/** Draws the dark squares as one path, each run in a row at once. */
function pathOf(rows: readonly (readonly boolean[])[]): string {
  let path = '';
  for (const [y, row] of rows.entries()) {
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue;
      const from = x;
      while (row[x + 1]) x++;
      path += `M${from} ${y}h${x - from + 1}v1H${from}z`;
    }
  }
  return path;
}
