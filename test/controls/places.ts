import type { Control } from './control.ts';

/** Which machine and folder a call, a rule and an approval are about. */
export const places: readonly Control[] = [
  {
    id: 'rule-machine-settled',
    promise: 'The machine of a call is settled before rules are asked, however the caller wrote its name.',
    in: 'gateCall',
    find: 'machine?.name ?? null',
    replace: "typeof call.input === 'object' ? ((call.input as { machine?: string }).machine ?? null) : null",
    tests: ['place.test.ts'],
  },
  {
    id: 'rule-root-settled',
    promise: 'The folder of a call is settled before rules are asked, whether or not the caller named it.',
    in: 'matchesFields',
    find: 'placed(call)',
    replace: 'call.args',
    tests: ['place.test.ts'],
  },
  {
    id: 'rule-machine-renamed',
    promise: 'Rules for a machine go on holding for it under another name.',
    in: 'MachineNames.renamed',
    remove: 'this.#rules.machineRenamed(from, to);',
    tests: ['place.test.ts'],
  },
  {
    id: 'rule-machine-freed',
    promise: 'A yes for a machine is none for another that gets its name.',
    in: 'MachineNames.#freeName',
    remove: 'this.#rules.voidMachine(name);',
    tests: ['machine-names.test.ts'],
  },
  {
    id: 'rule-machine-taken',
    promise: 'A name that is refused to a machine leaves the rules of the machine that has it alone.',
    in: 'renamePaired',
    find: '{ failure: refusals[renamed] }',
    replace:
      'await rules().machineRenamed(id, name), await rules().machineRenamed(id, before.name), { failure: refusals[renamed] }',
    tests: ['machine-names.test.ts'],
  },
  {
    id: 'rule-machine-case',
    promise: 'A rule that names the machine as an argument means it in any case.',
    in: 'namesItsMachine',
    find: "isAbout && 'equals' in field && isSameMachine(field.equals, machine)",
    replace: 'false',
    tests: ['machine-names.test.ts'],
  },
  {
    id: 'always-machine-renamed',
    promise: 'An "always" is for the machine that was asked for, under its name of now.',
    in: 'MachineNames.renamed',
    remove: 'approvals.machineRenamed(this.#sql, from, to);',
    tests: ['machine-names.test.ts'],
  },
  {
    id: 'always-machine-gone',
    promise: 'What waits for a machine that is gone ends when another gets its name.',
    in: 'MachineNames.#freeName',
    remove: 'approvals.voidMachine(this.#sql, name);',
    tests: ['machine-names.test.ts'],
  },
  {
    id: 'approval-machine',
    promise: 'A machine runs no call that was prepared for another.',
    in: 'preparedCall',
    remove: "if (told.machine !== machine) return 'another machine';",
    tests: ['runner.test.ts'],
  },
  {
    id: 'absolute-path-made-relative',
    promise: 'A rule sees an absolute path below an open folder as the path from there.',
    in: 'prepareCall',
    remove: '...place.paths',
    tests: ['place.test.ts'],
  },
  {
    id: 'near-name-closed',
    promise: 'The hint after a mistyped path names nothing that is closed.',
    in: 'nearPath',
    find: 'isOpen(pathTo(name))',
    replace: 'true',
    tests: ['files/read-file.test.ts'],
  },
];
