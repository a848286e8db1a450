import type { Target } from '../target.ts';

/** Targets by the file they are in, which is loaded when they are asked for: what is loaded has to be counted too. */
const files: Readonly<Record<string, () => Promise<readonly Target[]>>> = {
  link: async () => (await import('./link.ts')).link,
  json: async () => (await import('./json.ts')).jsonTargets,
  answers: async () => (await import('./answers.ts')).answers,
  rules: async () => (await import('./rules.ts')).ruleTargets,
  regexes: async () => (await import('./regexes.ts')).regexes,
  approvals: async () => [(await import('./approvals.ts')).approval],
  forms: async () => (await import('./forms.ts')).forms,
  paths: async () => (await import('./paths.ts')).paths,
  globs: async () => [(await import('./globs.ts')).glob],
  addresses: async () => (await import('./addresses.ts')).addresses,
  html: async () => (await import('./html.ts')).htmlTargets,
  web: async () => (await import('./web.ts')).web,
  transcript: async () => (await import('./transcript.ts')).transcripts,
  joined: async () => (await import('./joined.ts')).joined,
  'sign-in': async () => [(await import('./sign-in.ts')).oauth],
  mirror: async () => (await import('./mirror.ts')).mirror,
  programs: async () => (await import('./programs.ts')).programs,
  redaction: async () => (await import('./redaction.ts')).redactions,
  files: async () => (await import('./files.ts')).files,
  reading: async () => (await import('./reading.ts')).readings,
};

/** Every parser that meets the outside, and the file of each. */
export async function allTargets(): Promise<readonly { readonly file: string; readonly target: Target }[]> {
  const found = await Promise.all(
    Object.entries(files).map(async ([file, load]) => (await load()).map((target) => ({ file, target }))),
  );
  return found.flat();
}

/** One of them, without loading the others. */
export async function targetIn(file: string, name: string): Promise<Target> {
  const target = (await files[file]?.())?.find((each) => each.name === name);
  if (!target) throw new Error(`There is no target ${name} in ${file}.`);
  return target;
}
