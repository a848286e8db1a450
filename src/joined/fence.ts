/**
 * Takes a text out of a Markdown fence, if the fence holds the whole text. It uses no pattern, because that takes
 * cubic time.
 */
export function withoutFence(text: string): string {
  const fenced = text.trim();
  const start = fenced.indexOf('\n');
  const opens = start > 0 && /^```(?:json)?$/.test(fenced.slice(0, start).trimEnd());
  const end = fenced.lastIndexOf('\n');
  return opens && end > start && fenced.slice(end).trim() === '```' ? fenced.slice(start + 1, end) : text;
}
