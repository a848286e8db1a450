import type { Control } from './control.ts';

/** Which machine and folder a call, a rule and an approval are about. */
export const places: readonly Control[] = [
  {
    id: 'rule-machine-settled',
    promise: 'The machine of a call is settled before rules are asked, however the caller wrote its name.',
    file: 'src/gate/gate-call.ts',
    find: 'machine: machine?.name ?? null,',
    replace:
      "machine: typeof call.input === 'object' ? ((call.input as { machine?: string }).machine ?? null) : null,",
    tests: ['test/node/link/place.test.ts'],
  },
  {
    id: 'rule-root-settled',
    promise: 'The folder of a call is settled before rules are asked, whether or not the caller named it.',
    file: 'src/gate/rules/rule.ts',
    find: 'matchesField(field, name, placed(call), effect)',
    replace: 'matchesField(field, name, call.args, effect)',
    tests: ['test/node/link/place.test.ts'],
  },
  {
    id: 'rule-machine-renamed',
    promise: 'Rules for a machine go on holding for it under another name.',
    file: 'src/gate/machine-names.ts',
    find: 'this.#rules.machineRenamed(from, to);',
    replace: '',
    tests: ['test/node/link/place.test.ts'],
  },
  {
    id: 'rule-machine-freed',
    promise: 'A yes for a machine is none for another that gets its name.',
    file: 'src/gate/machine-names.ts',
    find: 'this.#rules.voidMachine(name);',
    replace: '',
    tests: ['test/node/link/machine-names.test.ts'],
  },
  {
    id: 'rule-machine-taken',
    promise: 'A name that is refused to a machine leaves the rules of the machine that has it alone.',
    file: 'src/machines/pairing.ts',
    find: "if (typeof renamed === 'string') return { failure: refusals[renamed] };",
    replace:
      "if (typeof renamed === 'string') return await rules().machineRenamed(id, name), await rules().machineRenamed(id, before.name), { failure: refusals[renamed] };",
    tests: ['test/node/link/machine-names.test.ts'],
  },
  {
    id: 'rule-machine-case',
    promise: 'A rule that names the machine as an argument means it in any case.',
    file: 'src/gate/rules/rule.ts',
    find: "return isAbout && 'equals' in field && isSameMachine(field.equals, machine);",
    replace: 'return false;',
    tests: ['test/node/link/machine-names.test.ts'],
  },
  {
    id: 'always-machine-renamed',
    promise: 'An "always" is for the machine that was asked for, under its name of now.',
    file: 'src/gate/machine-names.ts',
    find: 'approvals.machineRenamed(this.#sql, from, to);',
    replace: '',
    tests: ['test/node/link/machine-names.test.ts'],
  },
  {
    id: 'always-machine-gone',
    promise: 'What waits for a machine that is gone ends when another gets its name.',
    file: 'src/gate/machine-names.ts',
    find: 'approvals.voidMachine(this.#sql, name);',
    replace: '',
    tests: ['test/node/link/machine-names.test.ts'],
  },
  {
    id: 'approval-machine',
    promise: 'A machine runs no call that was prepared for another.',
    file: 'local-bridge/agent/link/runner.ts',
    find: "if (told.machine !== machine) return 'another machine';",
    replace: '',
    tests: ['test/node/link/runner.test.ts'],
  },
];
