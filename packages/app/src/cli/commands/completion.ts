import type { Command, Option } from 'commander';
import { defineCommand, defineGroup, type MakeCommand } from '../steps/define-command.ts';

type Shell = 'bash' | 'zsh';

type Word = readonly [word: string, description: string];

/** The value of an option: one of these words, a file path, or free text. */
type Value = readonly Word[] | 'file' | 'text';

/** The words that can follow a command. */
interface Completion {
  /** The names of the command and its parents, each after a space; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly Word[];
  readonly values: readonly (readonly [flag: string, value: Value])[];
}

const valueOf = ({ argChoices, flags }: Option): Value => {
  const [, name = ''] = /<(.+)>$/.exec(flags) ?? [];
  const choices = argChoices ?? (name.includes('|') ? name.split('|') : undefined);
  if (choices) return choices.map((choice) => [choice, '']);
  return name === 'file' || name === 'path' ? 'file' : 'text';
};

const completionsOf = (command: Command, path: string): readonly Completion[] => {
  const help = command.createHelp();
  // `visibleCommands` adds the command `help`, which `command.commands` lacks, so it has no completions of its own.
  const options = help.visibleOptions(command);
  const named = options.map((option) => [option.long ?? option.short ?? '', option] as const);
  return [
    {
      path,
      commands: help.visibleCommands(command).map((subcommand) => [subcommand.name(), subcommand.description()]),
      options: named.map(([flag, { description }]) => [flag, description]),
      values: named.flatMap(([flag, option]) => (option.required ? [[flag, valueOf(option)] as const] : [])),
    },
    ...command.commands.flatMap((subcommand) => completionsOf(subcommand, `${path} ${subcommand.name()}`)),
  ];
};

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The differences between the scripts: variables, and how to offer words and files. */
interface Dialect {
  readonly begin: string;
  /** Clears the words that an earlier call offered. */
  readonly reset: string;
  /** The array of all words, the index of its first argument, and the index of the word to complete. */
  readonly words: string;
  readonly first: number;
  readonly current: string;
  readonly offer: (words: readonly Word[]) => string;
  readonly offerFiles: string;
  readonly end: string;
}

const DIALECTS: Readonly<Record<Shell, Dialect>> = {
  bash: {
    begin: '# Completion for bash. To enable it: eval "$(chapter completion bash)"',
    reset: 'COMPREPLY=()',
    words: 'COMP_WORDS',
    first: 1,
    current: 'COMP_CWORD',
    offer: (words) => `COMPREPLY=($(compgen -W ${quoted(words.map(([word]) => word).join(' '))} -- "$word"))`,
    // Bash 3.2 (macOS) has no `compopt`, which sets an option for one completion.
    offerFiles: 'compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$word"))',
    end: 'complete -F _chapter chapter',
  },
  zsh: {
    begin: '# Completion for zsh. To enable it, after compinit: eval "$(chapter completion zsh)"',
    reset: 'local -a offered',
    words: 'words',
    first: 2,
    current: 'CURRENT',
    offer: (words) => {
      const described = words.map(([word, description]) => quoted(description ? `${word}:${description}` : word));
      return `offered=(${described.join(' ')}); _describe chapter offered`;
    },
    offerFiles: '_files',
    end: 'compdef _chapter chapter',
  },
};

const caseOf = (patterns: readonly string[], body: string): string =>
  patterns.length === 0 ? '' : `    ${patterns.map(quoted).join(' | ')}) ${body} ;;\n`;

/** Returns a script that completes the commands, options and values of the program, for a shell to evaluate. */
const completionScript = (program: Command, shell: Shell): string => {
  const { begin, current, end, first, offer, offerFiles, reset, words } = DIALECTS[shell];
  const completions = completionsOf(program, '');
  const values = completions.flatMap(({ path, values: own }) =>
    own.map(([flag, value]) => [`${path} ${flag}`, value] as const),
  );
  const valuesThatAre = (kind: Value): readonly string[] =>
    values.filter(([, value]) => value === kind).map(([pattern]) => pattern);
  const known = completions.map(({ path }) => path).filter((path) => path !== '');
  const choices = values.flatMap(([pattern, value]) => (typeof value === 'string' ? [] : [[pattern, value] as const]));
  const parents = completions.filter(({ commands }) => commands.length > 0);
  // In zsh, a variable named `path` would change the search path.
  return `${begin}
_chapter() {
  local named='' at word="\${${words}[${current}]}"
  ${reset}
  for ((at = ${first}; at < ${current}; at++)); do
    case "$named \${${words}[at]}" in
${caseOf(known, `named="$named \${${words}[at]}"`)}    esac
  done
  case "$named \${${words}[${current} - 1]}" in
${caseOf(valuesThatAre('file'), `${offerFiles}; return`)}${caseOf(valuesThatAre('text'), 'return')}${choices
  .map(([pattern, value]) => caseOf([pattern], `${offer(value)}; return`))
  .join('')}  esac
  case "$named|$word" in
${parents.map(({ path, commands }) => `    ${quoted(`${path}|-`)}*) ;;\n    ${quoted(`${path}|`)}*) ${offer(commands)}; return ;;\n`).join('')}  esac
  case "$named" in
${completions.map(({ path, options }) => caseOf([path], offer(options))).join('')}  esac
}
${end}
`;
};

const forShell = (shell: Shell, program: () => Command): MakeCommand =>
  defineCommand({
    name: shell,
    description: `print a script that completes commands and options in ${shell}`,
    examples: [[`completion ${shell}`, `Enable it with: eval "$(chapter completion ${shell})"`]],
    options: (command) =>
      command.addHelpText(
        'after',
        '\nTo use it from the repository without installing the program, define this function first:\n  chapter() { npm run --silent chapter -- "$@"; }',
      ),
    run: () => {
      const script = completionScript(program(), shell);
      return { value: { shell, script }, text: script };
    },
  });

/** Makes the `completion` commands, which print scripts for the commands and options of `program`. Contract §10. */
export const makeCompletion = (program: () => Command): MakeCommand =>
  defineGroup('completion', 'print a completion script for a shell', [
    forShell('bash', program),
    forShell('zsh', program),
  ]);
