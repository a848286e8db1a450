import { describe, expect, it } from 'vitest';
import type { AnyContract } from '../../../contracts/contract.ts';
import { catalogue } from '../../../contracts/index.ts';
import { fileRig, outputOf, type Rig } from '../workspace/rig.ts';

type ToolOf = Parameters<Rig['call']>[0];

const files = {
  'hello.py': "# TODO: greet more than one person\nprint('Hello, World!')\n",
  'src/app.py': '',
  'src/utils.py': '',
  'src/models/user.py': '',
};
const { read_file, list_dir, create_file, create_directory, replace_string_in_file } = catalogue;

const contracts: readonly AnyContract[] = [
  read_file,
  list_dir,
  create_file,
  create_directory,
  replace_string_in_file,
];
const cases = contracts.flatMap(({ name, examples }) => examples.map((example) => ({ name, ...example })));

describe('the examples of the contracts', () => {
  it.each(cases)('$name $about', async ({ name, input, output }) => {
    const rig = fileRig({ files });
    const { execution_time_ms, metadata, ...rest } = outputOf(
      await rig.call(name as ToolOf, input as object),
    );
    const { execution_time_ms: _, metadata: promised, ...others } = output as ReturnType<typeof outputOf>;
    expect(rest).toEqual(others);
    expect(execution_time_ms).toBeGreaterThanOrEqual(0);
    const location = 'location' in promised ? { location: expect.stringContaining(rig.path) } : {};
    expect(metadata).toEqual({ ...promised, ...location });
  });
});
