import { afterEach, beforeEach, expect, it } from 'vitest';
import { changedFiles } from '../../scripts/changed-files.ts';
import { newRepo, type TestRepo } from '../support/mirror-repo.ts';

let repo: TestRepo;
beforeEach(() => {
  repo = newRepo();
  repo.commit({
    'src/page.ts': "import script from './list.browser.ts?text';\nimport style from './page.css?text';\n",
    'src/list.browser.ts': "import { draw } from './draw.browser.ts';\nimport { text } from './text.ts';\n",
    'src/draw.browser.ts': '',
    'src/text.ts': '',
    'src/page.css': "@import './base.css';\n",
    'src/base.css': '',
    'src/other.ts': "import { page } from './page.ts';\n",
  });
});
afterEach(() => repo.remove());

it('nothing has changed right after a commit', () => {
  expect(changedFiles(repo.root)).toEqual([]);
});

it.each([
  ['src/draw.browser.ts', ['src/draw.browser.ts', 'src/list.browser.ts', 'src/page.ts']],
  ['src/text.ts', ['src/list.browser.ts', 'src/page.ts', 'src/text.ts']],
  ['src/base.css', ['src/base.css', 'src/page.css', 'src/page.ts']],
  // The modules that import a module, Vitest finds by itself.
  ['src/page.ts', ['src/page.ts']],
  ['src/new.ts', ['src/new.ts']],
])('a change of %s is one of every module whose text for browsers is made of it', (path, changed) => {
  repo.write({ [path]: '/* changed */' });
  expect(changedFiles(repo.root).toSorted()).toEqual(changed);
});
