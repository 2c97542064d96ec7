/** `geomill completions SHELL`: completions of commands, options and their values, from the command table. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { formats, inputFormats, outputFormats } from '@geomill/formats/registry.ts';
import { type Flags, flagName, parseCommand } from './arguments.ts';
import { commands } from './commands.ts';
import { ENGINES } from './divided/scripts.ts';
import { standardOutput } from './standard-output.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const usage = (): string => `geomill completions bash|zsh|fish

Prints a script that completes commands, options, formats and file names.

Examples:
  eval "$(geomill completions bash)"      in ~/.bashrc
  eval "$(geomill completions zsh)"       in ~/.zshrc, after compinit
  geomill completions fish > ~/.config/fish/completions/geomill.fish`;

export const flags = (): Flags => ({ help: { type: 'boolean', short: 'h' } });

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const { positionals } = parsed;
  const shell = SHELLS.find((known) => known === positionals[0]);
  if (shell === undefined || positionals.length > 1)
    throw failure(generalErrors.USAGE, { detail: `completions takes one of ${SHELLS.join(', ')}` });
  const described = await describeCommands();
  const script = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell];
  standardOutput().write(`${script(described)}\n`);
  return 0;
}

interface DescribedCommand {
  readonly name: string;
  readonly text: string;
  readonly flags: Flags;
  /** Of the first argument; empty: a file. */
  readonly words: readonly string[];
}

function describeCommands(): Promise<readonly DescribedCommand[]> {
  return Promise.all(
    Object.entries(commands).map(async ([name, { text, words, load }]) => ({
      name,
      text: text.split(':', 1)[0],
      flags: (await load()).flags(),
      words: words === undefined ? [] : await words(),
    })),
  );
}

/** Values of the flags that have a list of them. */
function flagValues(): ReadonlyMap<string, readonly string[]> {
  const names = (known: typeof formats): string[] => known.flatMap(({ id, aliases }) => [id, ...aliases]);
  const values = new Map<string, readonly string[]>([
    ['from', names(inputFormats)],
    ['to', names(outputFormats)],
    ['fail-on', ['changed', 'lost']],
    ['on', Object.keys(ENGINES)],
  ]);
  for (const { readOptions, writeOptions } of formats)
    for (const [side, { properties }] of [['in', readOptions] as const, ['out', writeOptions] as const])
      for (const [name, schema] of Object.entries(properties)) {
        const { type, enum: choices } = schema as {
          readonly type?: unknown;
          readonly enum?: readonly unknown[];
        };
        // Values such as ';' need quotes, in each shell others.
        const plain = choices?.map(String).filter((choice) => /^[\w.-]+$/.test(choice)) ?? [];
        if (plain.length > 0) values.set(flagName(side, name), plain);
        else if (type === 'boolean') values.set(flagName(side, name), ['true', 'false']);
      }
  return values;
}

/** Flags whose value is a directory. */
const DIRECTORY_FLAGS = ['out-dir', 'work'];

function longFlags({ flags: own }: DescribedCommand): string[] {
  return Object.keys(own).map((flag) => `--${flag}`);
}

/** The flags of any command that take a value, without those that have a list of values. */
function freeFlags(described: readonly DescribedCommand[]): string[] {
  const listed = flagValues();
  const taking = described.flatMap(({ flags: own }) =>
    Object.entries(own).flatMap(([flag, { type }]) => (type === 'string' ? [flag] : [])),
  );
  const special = new Set([...listed.keys(), ...DIRECTORY_FLAGS]);
  return [...new Set(taking)].filter((flag) => !special.has(flag)).map((flag) => `--${flag}`);
}

function bashScript(described: readonly DescribedCommand[]): string {
  const words = (list: readonly string[]): string =>
    `COMPREPLY=($(compgen -W '${list.join(' ')}' -- "$cur"))`;
  return `# Completions of geomill for bash
_geomill() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    ${words([...described.map(({ name }) => name), 'version', '--help'])}
    return
  fi
  case $prev in
${[...flagValues()].map(([flag, values]) => `    --${flag}) ${words(values)}; return ;;`).join('\n')}
    ${DIRECTORY_FLAGS.map((flag) => `--${flag}`).join('|')}) local IFS=$'\\n'; COMPREPLY=($(compgen -d -- "$cur")); return ;;
    ${freeFlags(described).join('|')}) local IFS=$'\\n'; COMPREPLY=($(compgen -f -- "$cur")); return ;;
  esac
  case $cur in
    -*) case \${COMP_WORDS[1]} in
${described.map((command) => `      ${command.name}) ${words(longFlags(command))} ;;`).join('\n')}
    esac
    return ;;
  esac
  if [ "$COMP_CWORD" -eq 2 ]; then
    case \${COMP_WORDS[1]} in
${described
  .filter((command) => command.words.length > 0)
  .map((command) => `      ${command.name}) ${words(command.words)}; return ;;`)
  .join('\n')}
    esac
  fi
  local IFS=$'\\n'
  COMPREPLY=($(compgen -f -- "$cur"))
}
complete -o filenames -F _geomill geomill`;
}

function zshScript(described: readonly DescribedCommand[]): string {
  const words = (list: readonly string[]): string => `compadd -- ${list.join(' ')}`;
  return `#compdef geomill
_geomill() {
  local cur=\${words[CURRENT]} prev=\${words[CURRENT-1]}
  if (( CURRENT == 2 )); then
    local -a list
    list=(${described.map(({ name, text }) => `'${name}:${text.replaceAll("'", '')}'`).join(' ')})
    _describe command list
    return
  fi
  case $prev in
${[...flagValues()].map(([flag, values]) => `    --${flag}) ${words(values)}; return ;;`).join('\n')}
    ${DIRECTORY_FLAGS.map((flag) => `--${flag}`).join('|')}) _files -/; return ;;
    ${freeFlags(described).join('|')}) _files; return ;;
  esac
  case $cur in
    -*) case \${words[2]} in
${described.map((command) => `      ${command.name}) ${words(longFlags(command))} ;;`).join('\n')}
    esac
    return ;;
  esac
  if (( CURRENT == 3 )); then
    case \${words[2]} in
${described
  .filter((command) => command.words.length > 0)
  .map((command) => `      ${command.name}) ${words(command.words)}; return ;;`)
  .join('\n')}
    esac
  fi
  _files
}
compdef _geomill geomill`;
}

function fishScript(described: readonly DescribedCommand[]): string {
  const values = flagValues();
  const lines = ['# Completions of geomill for fish'];
  for (const command of described) {
    const { name, text } = command;
    lines.push(`complete -c geomill -n __fish_use_subcommand -f -a ${name} -d '${text.replaceAll("'", '')}'`);
    const seen = `complete -c geomill -n '__fish_seen_subcommand_from ${name}'`;
    if (command.words.length > 0) lines.push(`${seen} -f -a '${command.words.join(' ')}'`);
    for (const [flag, { type }] of Object.entries(command.flags)) {
      const known = values.get(flag);
      const value =
        type !== 'string'
          ? ''
          : known !== undefined
            ? ` -x -a '${known.join(' ')}'`
            : DIRECTORY_FLAGS.includes(flag)
              ? " -x -a '(__fish_complete_directories)'"
              : ' -r';
      lines.push(`${seen} -l ${flag}${value}`);
    }
  }
  return lines.join('\n');
}
