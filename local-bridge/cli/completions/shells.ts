import type { Place, Word } from './words.ts';

/** The supported shells, each with the function that writes its script. */
export const shells: Readonly<Record<string, (places: readonly Place[], tools: readonly Word[]) => string>> =
  {
    bash,
    zsh,
    fish,
  };

// Each script follows the typed words as far as they lead to a place, skips options and their values, and offers what
// may follow. Where nothing fits, the shell offers files.

function bash(places: readonly Place[], tools: readonly Word[]): string {
  return `# Completions of bowline for bash. Made by \`bowline completions bash\`.
_bowline() {
  local current=\${COMP_WORDS[COMP_CWORD]} path='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
      ${steps(places).join(' | ')}) path="$path \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path" in
${places.map(({ path, words }) => `    ${quoted(joined(path))}) words=${quoted(listOf(words))} ;;`).join('\n')}
  esac
  [[ \${COMP_WORDS[COMP_CWORD - 1]} == --tool ]] && words=${quoted(listOf(tools))}
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _bowline bowline
`;
}

function zsh(places: readonly Place[], tools: readonly Word[]): string {
  const described = (words: readonly Word[]) =>
    words
      .map(({ word, about }) =>
        quoted(`${word.replaceAll(':', '\\:')}:${short(about).replaceAll(':', '\\:')}`),
      )
      .join(' ');
  return `#compdef bowline
# Completions of bowline for zsh. Made by \`bowline completions zsh\`.
_bowline() {
  local at='' word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${steps(places).join(' | ')}) at="$at $word" ;;
    esac
  done
  case "$at" in
${places.map(({ path, words }) => `    ${quoted(joined(path))}) found=(${described(words)}) ;;`).join('\n')}
  esac
  [[ \${words[CURRENT-1]} == --tool ]] && found=(${described(tools)})
  _describe 'bowline' found || _files
}
if [[ \${funcstack[1]} == _bowline ]]; then _bowline "$@"; else compdef _bowline bowline; fi
`;
}

function fish(places: readonly Place[], tools: readonly Word[]): string {
  const offer = (condition: string, { word, about }: Word) =>
    `complete -c bowline -n ${quotedFish(condition)} -a ${quotedFish(word)} -d ${quotedFish(short(about))}`;
  const lines = places.flatMap(({ path, words }) =>
    words.map((word) => offer(`__bowline_at ${quotedFish(joined(path))}`, word)),
  );
  const ofTools = tools.map((word) => offer('__bowline_after_tool', word));
  return `# Completions of bowline for fish. Made by \`bowline completions fish\`.
function __bowline_at
    set -l path ''
    for word in (commandline -opc)[2..]
        switch "$path $word"
            case ${steps(places).join(' ')}
                set path "$path $word"
        end
    end
    test "$path" = "$argv[1]"
end
function __bowline_after_tool
    test (commandline -opc)[-1] = --tool
end
${[...lines, ...ofTools].join('\n')}
`;
}

/** Lists the paths of all places as the scripts compare them, with a space before every word. */
function steps(places: readonly Place[]): string[] {
  return places.filter(({ path }) => path.length > 0).map(({ path }) => quoted(joined(path)));
}

function joined(path: readonly string[]): string {
  return path.map((word) => ` ${word}`).join('');
}

function listOf(words: readonly Word[]): string {
  return words.map(({ word }) => word).join(' ');
}

/** Gives the first sentence, because a menu has one line for each word. */
function short(about: string): string {
  return (/^.*?\.(?= |$)/.exec(about)?.[0] ?? about).slice(0, 80);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function quotedFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
