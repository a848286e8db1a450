import type { Child } from 'hono/jsx';

interface Point {
  /** The point's name for those who do not see the chart, such as “3 hours ago”. */
  readonly label: string;
  readonly value: number | null;
  /** The part of the value that is drawn as trouble. In a chart of lines, the second line. */
  readonly second: number | null;
}

interface Props {
  readonly id: string;
  readonly title: string;
  /** A sentence that describes the chart. */
  readonly says: string;
  readonly points: readonly Point[];
  /** The labels under the first and the last point. */
  readonly ends: readonly [string, string];
  readonly unit: (value: number) => string;
}

const WIDTH = 360;
const HEIGHT = 140;
const LEFT = 58;
const TOP = 8;
const BOTTOM = 118;

/** Draws counts as bars, with failures in another colour. */
export function Bars(props: Props) {
  const { points, unit } = props;
  const top = niceTop(Math.max(...points.map(({ value }) => value ?? 0)));
  const step = (WIDTH - LEFT) / points.length;
  const tall = (value: number) => (value === 0 ? 0 : Math.max(1.5, (value / top) * (BOTTOM - TOP)));
  return (
    <Frame
      {...props}
      top={top}
      heads={['When', 'Calls', 'Failed']}
      legend={[
        ['bar', 'all calls'],
        ['bar bad', 'failed'],
      ]}
      say={(n) => unit(n)}
    >
      {points.map(({ value, second }, at) => {
        const x = round(LEFT + at * step + step * 0.14);
        const bar = (height: number, name: string) =>
          height === 0 ? null : (
            <rect
              class={name}
              x={x}
              y={round(BOTTOM - height)}
              width={round(step * 0.72)}
              height={round(height)}
              rx="1.5"
            />
          );
        return (
          <>
            {bar(tall(value ?? 0), 'bar')}
            {bar(tall(second ?? 0), 'bar bad')}
          </>
        );
      })}
    </Frame>
  );
}

/** Draws two measures as lines, with gaps where there is no value. */
export function Lines(props: Props) {
  const { points } = props;
  const top = niceTop(Math.max(...points.flatMap(({ value, second }) => [value ?? 0, second ?? 0])));
  const step = (WIDTH - LEFT - 8) / Math.max(1, points.length - 1);
  const at = (index: number, value: number) => [
    round(LEFT + 4 + index * step),
    round(BOTTOM - (value / top) * (BOTTOM - TOP)),
  ];
  const drawn = (pick: (point: Point) => number | null, far: string) => {
    const path = points
      .map((point, index) => {
        const value = pick(point);
        const before = index > 0 ? pick(points[index - 1] ?? point) : null;
        return value === null ? '' : `${before === null ? 'M' : 'L'}${at(index, value).join(' ')}`;
      })
      .join('');
    return (
      <>
        <path class={`line${far}`} d={path} />
        {points.map((point, index) => {
          const value = pick(point);
          if (value === null) return null;
          const [x, y] = at(index, value);
          return <circle class={`dot${far}`} cx={x} cy={y} r="2.5" />;
        })}
      </>
    );
  };
  return (
    <Frame
      {...props}
      top={top}
      heads={['When', 'p50', 'p95']}
      legend={[
        ['line', 'p50: half of the calls'],
        ['line far', 'p95: 95 of 100 calls'],
      ]}
      say={props.unit}
    >
      {drawn(({ second }) => second, ' far')}
      {drawn(({ value }) => value, '')}
    </Frame>
  );
}

interface FrameProps extends Props {
  readonly top: number;
  readonly heads: readonly [string, string, string];
  /** What is drawn, by the class that gives it its colour. */
  readonly legend: readonly (readonly [mark: string, words: string])[];
  readonly say: (value: number) => string;
  readonly children: Child;
}

function Frame({ id, title, says, points, ends, unit, top, heads, legend, say, children }: FrameProps) {
  return (
    <>
      <svg
        class="chart"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-labelledby={`${id}-title ${id}-says`}
      >
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-says`}>{says}</desc>
        {[0, 0.5, 1].map((part) => {
          const y = round(BOTTOM - part * (BOTTOM - TOP));
          return (
            <>
              <line class="axis" x1={LEFT} x2={WIDTH} y1={y} y2={y} />
              <text x={LEFT - 6} y={y + 4} text-anchor="end">
                {unit(top * part)}
              </text>
            </>
          );
        })}
        <text x={LEFT} y={HEIGHT - 6}>
          {ends[0]}
        </text>
        <text x={WIDTH} y={HEIGHT - 6} text-anchor="end">
          {ends[1]}
        </text>
        {children}
      </svg>
      <ul class="legend">
        {legend.map(([mark, words]) => (
          <li>
            <svg class="chart" viewBox="0 0 18 10" aria-hidden="true">
              {mark.startsWith('bar') ? (
                <rect class={mark} x="4" width="10" height="10" rx="1.5" />
              ) : (
                <path class={mark} d="M1 5H17" />
              )}
            </svg>
            {words}
          </li>
        ))}
      </ul>
      <details class="small">
        <summary>{title} as a table</summary>
        <table>
          <thead>
            <tr>
              {heads.map((head) => (
                <th scope="col">{head}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points
              .filter(({ value }) => value !== null && value > 0)
              .map(({ label, value, second }) => (
                <tr>
                  <td>{label}</td>
                  <td class="num">{say(value ?? 0)}</td>
                  <td class="num">{second === null ? '' : say(second)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

/** Gives the next larger number that halves well. */
function niceTop(value: number): number {
  if (value <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6, 8, 10].find((step) => step * power >= value) ?? 10) * power;
}

/** Writes milliseconds for people. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 9_950 ? 1 : 0)} s`;
  return `${Math.round(ms / 60_000)} min`;
}

/** Writes a count for people. */
export function count(value: number): string {
  if (value < 10_000) return String(Math.round(value));
  return value < 1_000_000 ? `${Math.round(value / 1_000)}k` : `${(value / 1_000_000).toFixed(1)}M`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
