interface ToolCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/**
 * Tools whose one call does the work of several calls of plainer tools. A no to such a plainer call is a no to the
 * whole call. Otherwise each new tool would bypass the owner's noes.
 */
const KIN: Readonly<Record<string, readonly string[]>> = {
  edit_files: ['create_file', 'replace_string_in_file'],
};

/** Names the tools whose noes also concern a tool. */
export function kinOf(tool: string): readonly string[] {
  return Object.hasOwn(KIN, tool) ? (KIN[tool] ?? []) : [];
}

type Part = Readonly<Record<string, unknown>>;

function partsOf({ tool, args }: ToolCall): readonly Part[] {
  return kinOf(tool).length > 0 && Array.isArray(args.edits) ? args.edits : [];
}

/** Lists every path of a call that has several, both ends of a move included; undefined for other calls. */
export function pathsOf(call: ToolCall): readonly unknown[] | undefined {
  if (kinOf(call.tool).length === 0) return undefined;
  return partsOf(call).flatMap(({ path, to }) => (to === undefined ? [path] : [path, to]));
}

/** Spells a call out as the calls of a plainer tool that it stands for. */
export function asCallsOf(tool: string, call: ToolCall): readonly ToolCall[] {
  const { root } = call.args;
  const place = root === undefined ? {} : { root };
  return partsOf(call).flatMap(({ path, to, old = '', text = '' }) =>
    (to === undefined ? [path] : [path, to]).map((one) => {
      const content = tool === 'create_file' ? { content: text } : { old_string: old, new_string: text };
      return { tool, args: { path: one, ...content, repeat: false, ...place } };
    }),
  );
}
