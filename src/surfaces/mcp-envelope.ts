import { isRecord } from '../core/is-record.ts';

/** The part of a call's `_meta` that changes how it is answered. */
export interface Envelope {
  /** The token that progress is told with, if the client wants progress. */
  readonly progressToken?: string | number;
  /** What the client says it can do. Only 2026 clients say it with each call. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
}

export const MODERN = '2026-07-28';
const PROTOCOL = 'io.modelcontextprotocol/';
export const SERVER_INFO = `${PROTOCOL}serverInfo`;
const LEVELS = new Set<unknown>([
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]);
const NOTHING: Envelope = {};

/** Reads the `_meta` of a 2026 client. Gives `undefined` for one that the protocol's SDK has to judge. */
export function modernEnvelope(meta: unknown): Envelope | undefined {
  if (!isRecord(meta)) return undefined;
  const {
    [`${PROTOCOL}protocolVersion`]: version,
    [`${PROTOCOL}clientInfo`]: client,
    [`${PROTOCOL}clientCapabilities`]: capabilities,
    [`${PROTOCOL}logLevel`]: level,
    ...rest
  } = meta;
  if (version !== MODERN || !isClient(client) || !isCapabilities(capabilities)) return undefined;
  if (level !== undefined && !LEVELS.has(level)) return undefined;
  const wanted = legacyEnvelope(rest);
  return wanted && { ...wanted, capabilities };
}

/** Reads the `_meta` of a 2025 client, which says what it can do when it connects. */
export function legacyEnvelope(meta: unknown): Envelope | undefined {
  if (meta === undefined) return NOTHING;
  if (!isRecord(meta)) return undefined;
  for (const key in meta) if (key.startsWith(PROTOCOL)) return undefined;
  const { progressToken } = meta;
  if (progressToken === undefined) return NOTHING;
  return isId(progressToken) ? { progressToken } : undefined;
}

/** Leaves out of a `_meta` what changes no list: the token of progress, and what is not the protocol's. */
export function listMeta(meta: unknown): unknown {
  if (!isRecord(meta) || !(meta.progressToken === undefined || isId(meta.progressToken))) return meta;
  return Object.fromEntries(Object.entries(meta).filter(([key]) => key.startsWith(PROTOCOL)));
}

/** Tells if a value may name a request. */
export function isId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function isClient(client: unknown): boolean {
  if (client === undefined) return true;
  if (!isRecord(client) || typeof client.name !== 'string' || typeof client.version !== 'string')
    return false;
  const { title, websiteUrl, description, icons } = client;
  return [title, websiteUrl, description].every(isTextIfAny) && (icons === undefined || isIcons(icons));
}

function isIcons(icons: unknown): boolean {
  return Array.isArray(icons) && icons.every(isIcon);
}

function isIcon(icon: unknown): boolean {
  if (!isRecord(icon) || typeof icon.src !== 'string' || !isTextIfAny(icon.mimeType)) return false;
  const { sizes, theme } = icon;
  const isSized = sizes === undefined || (Array.isArray(sizes) && sizes.every((s) => typeof s === 'string'));
  return isSized && (theme === undefined || theme === 'light' || theme === 'dark');
}

/** Checks the capabilities that the protocol knows. Others are no harm. */
function isCapabilities(said: unknown): said is Record<string, unknown> {
  if (!isRecord(said)) return false;
  const { experimental, sampling, elicitation, roots, extensions } = said;
  return (
    areObjects(experimental) &&
    areObjects(extensions) &&
    holds(sampling, ['context', 'tools']) &&
    holds(elicitation, ['form', 'url']) &&
    (!isRecord(elicitation) || !isRecord(elicitation.form) || isFlagIfAny(elicitation.form.applyDefaults)) &&
    holds(roots, []) &&
    (!isRecord(roots) || isFlagIfAny(roots.listChanged))
  );
}

function holds(value: unknown, objects: readonly string[]): boolean {
  if (value === undefined) return true;
  return isRecord(value) && objects.every((key) => value[key] === undefined || isRecord(value[key]));
}

function areObjects(value: unknown): boolean {
  return value === undefined || (isRecord(value) && Object.values(value).every(isRecord));
}

function isTextIfAny(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function isFlagIfAny(value: unknown): boolean {
  return value === undefined || typeof value === 'boolean';
}
