import { hostOf } from '../../tools/mlx/host.ts';
import { quoted } from '../../tools/mlx/scripts.ts';
import { mlxSettings } from '../../tools/mlx/settings.ts';
import { findProgram } from '../../tools/terminal/environment.ts';
import { type Finding, failed, ok, skipped } from './finding.ts';

/** Checks whether the program that starts models is there, on this computer or on the host that runs them. */
export async function checkMlx(section: unknown, home: string): Promise<Finding | undefined> {
  const isMac = process.platform === 'darwin' && process.arch === 'arm64';
  if (section === undefined && !isMac) return undefined;
  const check = 'MLX';
  const settings = mlxSettings(section);
  const [program = ''] = settings.command;
  if (settings.host === undefined) {
    if (findProgram(program)) return ok(check, `${program} is here`);
    const cure = `Install it with \`pip install mlx-lm\`, or name it with its whole path in \`mlx.command\` of bridge.json.`;
    const found = `${program} is not here, so no model can be loaded`;
    // Without settings for it, the owner does not want models, so it is not a failure.
    return section === undefined ? skipped(check, found, cure) : failed(check, `${found}.`, cure);
  }
  const where = hostOf(settings, home);
  try {
    const { code } = await where.run(`command -v ${quoted(program)}`, 10_000);
    if (code === 0) return ok(check, `${program} is on ${settings.host}`);
    return failed(
      check,
      `${program} is not found on ${settings.host}.`,
      `Install mlx-lm there, or name it with its whole path in \`mlx.command\` of bridge.json.`,
    );
  } catch (error) {
    return failed(
      check,
      `${settings.host} cannot be reached by ssh: ${error instanceof Error ? error.message : error}`,
      `\`ssh ${settings.host}\` has to work without a password: \`ssh-copy-id ${settings.host}\`.`,
    );
  }
}
