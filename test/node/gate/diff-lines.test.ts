import { expect, it } from 'vitest';
import { diffLines } from '../../../src/gate/diff-lines.ts';

const kindsOf = (diff: string) => diffLines(diff.split('\n')).map((kind) => kind?.charAt(0) ?? ' ');

it('tells changes from the names of files, also where a change looks like a name', () => {
  const diff = `--- a.sql
+++ a.sql
@@ -1,3 +1,3 @@ header
 select 1;
--- a comment
+++ another
 select 2;
--- b.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
\\ No newline at end of file
--- /dev/null
+++ c.txt
@@ -0,0 +1,2 @@
+@@ -1,9 +1,9 @@
+--- c.txt`;
  expect(kindsOf(diff).join('')).toBe('hhh ra hhhrhhhhaa');
});

it('knows the lines of a hunk without the names before it, and stays calm where a diff was cut', () => {
  expect(kindsOf('@@ -1,2 +1,2 @@\n-old\n+new\n same')).toEqual(['h', 'r', 'a', ' ']);
  expect(kindsOf('@@ -1,2 +1,9 @@\n-old\n+new\n…')).toEqual(['h', 'r', 'a', ' ']);
});
