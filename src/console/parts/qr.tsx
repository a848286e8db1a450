/** Which squares of an address's picture are dark. */
export async function qrRows(text: string): Promise<readonly (readonly boolean[])[]> {
  // Only one page needs it, so a gateway that starts does not wait for it.
  const { encode } = await import('uqr');
  return encode(text, { ecc: 'M', border: 2 }).data;
}

/** An address for a phone's camera; on white whatever the theme, since cameras expect it. */
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

/** Dark squares as one path, each run of them in a row drawn at once. */
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
