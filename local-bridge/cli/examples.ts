import type { Command } from 'commander';

/** Example command lines, for commands whose own help has none. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  'approvals list': ['bowline approvals', 'bowline approvals list --all --json'],
  'approvals approve': [
    'bowline approvals approve K7QX-3M9D',
    'bowline approvals approve K7QX-3M9D 2JX6-PHF3',
  ],
  'approvals show': ['bowline approvals show K7QX-3M9D'],
  'approvals deny': [
    'bowline approvals deny K7QX-3M9D --because "use pnpm instead"',
    'bowline approvals deny K7QX-3M9D 2JX6-PHF3',
    'bowline approvals deny --all',
  ],
  'approvals run': ['bowline approvals run K7QX-3M9D'],
  'approvals always': [
    'bowline approvals always K7QX-3M9D',
    'bowline approvals always K7QX-3M9D --width like --for hour',
  ],
  'approvals lend': ['bowline approvals lend K7QX-3M9D'],
  'loans list': ['bowline loans', 'bowline loans --json'],
  'loans take-back': ['bowline loans take-back loan_3f9c2a71b04e', 'bowline loans take-back --all'],
  status: ['bowline status', 'bowline status --json'],
  whoami: ['bowline whoami'],
  machines: ['bowline machines'],
  logs: ['bowline logs', 'bowline logs -f'],
  logout: ['bowline logout', 'bowline logout https://bowline.example.workers.dev'],
  'memory tail': ['bowline memory tail progress_log.jsonl -n 3'],
  'memory export': ['bowline memory export ~/backups/memory'],
  'memory verify': ['bowline memory verify', 'bowline memory verify ~/backups/memory/log.jsonl'],
  'memory import': ['bowline memory import ~/notes/progress_log.jsonl'],
  'mirror close': ["bowline mirror close 'paths/**'"],
  'mirror allow-secret': ['bowline mirror allow-secret docs/setup.md:aws-access-key'],
  'mirror watch': ['bowline mirror watch --root ~/projects/site'],
  'mirror status': ['bowline mirror status'],
  'rules list': ['bowline rules', 'bowline rules list --json'],
  'rules try': ['bowline rules try rule.json'],
  'rules add': ['bowline rules add rule.json'],
  'rules enable': ['bowline rules enable rule_Zm9vYmFy'],
  'rules disable': ['bowline rules disable rule_Zm9vYmFy'],
  'rules remove': ['bowline rules remove rule_Zm9vYmFy'],
  'groups list': ['bowline groups', 'bowline groups --json'],
  'groups on': ['bowline groups on web'],
  'groups off': ['bowline groups off models web'],
  'servers list': ['bowline servers list'],
  'servers check': ['bowline servers check notes'],
  'servers remove': ['bowline servers remove notes'],
  'servers grade': ['bowline servers grade notes__list_notes read_only'],
  'servers accept': ['bowline servers accept notes'],
  'service uninstall': ['bowline service uninstall'],
  'service status': ['bowline service status --json'],
  'token list': ['bowline token list'],
  'token revoke': ['bowline token revoke tok_Zm9vYmFy'],
  'undo list': ['bowline undo list'],
};

/** Adds the examples to the help of their commands. */
export function addExamples(program: Command): void {
  const visit = (command: Command, path: readonly string[]): void => {
    const lines = EXAMPLES[path.join(' ')];
    if (lines) {
      const title = lines.length === 1 ? 'Example' : 'Examples';
      command.addHelpText('after', `\n${title}:\n${lines.map((line) => `  ${line}`).join('\n')}`);
    }
    for (const one of command.commands) visit(one, [...path, one.name()]);
  };
  visit(program, []);
}
