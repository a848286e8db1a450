import { runBowline } from '../support/command.ts';
import { repoIn } from '../support/mirror-repo.ts';

/** More than any load makes, except for `hello`, whose own limit stays so that it is met. */
export const RATES = Object.fromEntries(
  [
    ...[
      'read_repo_file',
      'list_repo',
      'search',
      'fetch',
      'search_web',
      'web_fetch',
      'transcript_clean',
      'get_call',
    ],
    ...['list_machines', 'write_memory_entry', 'create_file', 'create_directory', 'replace_string_in_file'],
    ...['run_in_terminal', 'terminal_last_command', 'read_file', 'list_dir', 'file_search', 'grep_search'],
    ...['terminal_start', 'terminal_send', 'terminal_read', 'terminal_list', 'terminal_stop'],
    ...[
      'edit_files',
      'undo_call',
      'read_files',
      'git_read',
      'watch',
      'fetch_webpage',
      'mlx_load',
      'mlx_unload',
      'mlx_list',
    ],
  ].map((tool) => [tool, 100_000]),
);

/** What the log of the mirrored repo says of its only commit. */
export const COMMITTED = 'at 1767950060';
/** What the mirrored repo's tracker says. */
export const TRACKED = 'What is soaked is read here.';

/** Makes a small repo in the open folder and mirrors it. */
export async function mirror(root: string, env: Readonly<Record<string, string>>): Promise<void> {
  const repo = repoIn(root);
  repo.write({ '.gitignore': 'made/\nmarks\nlong.txt\n' });
  repo.commit({
    'docs/tracker.md': `# Tracker\n\n${TRACKED}\n`,
    'src/app.py': '# TODO: soak\n',
  });
  const { code, stderr } = await runBowline(['mirror', 'push', '--root', root], { env });
  if (code !== 0) throw new Error(`bowline mirror push ended with ${code}: ${stderr}`);
}
