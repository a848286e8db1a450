/** Settings of services that the gateway uses. They come from the environment of whoever starts it here. */
const NAMES = [
  'SEARCH_BACKEND',
  'LITELLM_URL',
  'LITELLM_KEY',
  'LITELLM_SEARCH_TOOL',
  'SEARXNG_URL',
  'AI_GATEWAY_ID',
  'LANGUAGE_URL',
  'LANGUAGE_KEY',
  'LANGUAGE_MODEL',
  'DEV_FETCH_ORIGINS',
] as const;

/** Gives those that are set, as lines of an environment file. */
export function serviceSettings(environment: NodeJS.ProcessEnv): string {
  return NAMES.flatMap((name) => {
    const value = environment[name];
    if (!value || /[\r\n]/.test(value)) return [];
    const quote = ["'", '"', '`'].find((mark) => !value.includes(mark));
    return quote === undefined ? [] : [`${name}=${quote}${value}${quote}\n`];
  }).join('');
}
