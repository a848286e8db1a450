import * as z from 'zod';
import { CliError, EXIT } from '../../lib/exit.ts';
import type { TerminalSettings } from './settings.ts';

const shape = z.strictObject({
  enabled: z.boolean().optional(),
  sandbox: z.enum(['auto', 'required', 'off']).optional(),
  network: z.array(z.string().min(1)).optional(),
  environment: z.array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/)).optional(),
  shell: z.string().startsWith('/').optional(),
});

/** Reads the `terminal` section of the machine's settings. */
export function terminalSettings(section: unknown = {}): TerminalSettings {
  const parsed = shape.safeParse(section);
  // Remove keys without a value.
  if (parsed.success) return JSON.parse(JSON.stringify(parsed.data));
  const why = parsed.error.issues
    .map(({ path, message }) => `terminal.${path.join('.')}: ${message}`)
    .join('; ');
  throw new CliError(`The settings cannot be used: ${why}.`, 'Fix `terminal` in bridge.json.', EXIT.usage);
}
