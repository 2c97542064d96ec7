/** Command lines: flags come from the formats' option schemas, so a new format brings its flags with it. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { closest } from '@geomill/core/messages/did-you-mean.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { contentOf, type InputContent } from '@geomill/formats/content.ts';
import type { Format, InputFormat } from '@geomill/formats/format.ts';
import { inputFormatById } from '@geomill/formats/format-by-id.ts';
import { optionOfText, typesOf } from '@geomill/formats/options.ts';
import { formats } from '@geomill/formats/registry.ts';
import {
  type FormatKey,
  inputFormatOf,
  type OutputChoice,
  outputFormatOf,
} from '@geomill/library/choose-format.ts';
import { statOf } from '@geomill/library/output-path.ts';
import { inputStats } from './files.ts';
import { optionHint } from './option-hints.ts';
import { standardOutput } from './standard-output.ts';
import { fileNameOf, isUrl, layerFormatOf, shownInput } from './urls.ts';

export type Flags = NonNullable<ParseArgsConfig['options']>;

export interface Parsed {
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  readonly positionals: readonly string[];
  /** Every flag as it came, in order; the value is absent for those that take none. */
  readonly order: readonly { readonly name: string; readonly value: string | undefined }[];
}

/** The flags of a command; null: its help was asked for, and printed. Throws USAGE. */
export function parseCommand(argv: readonly string[], flags: Flags, usage: () => string): Parsed | null {
  const parsed = parse(argv, flags);
  if (parsed.values.help !== true) return parsed;
  standardOutput().write(`${usage()}\n`);
  return null;
}

/** Throws USAGE for unknown flags and missing values. */
export function parse(argv: readonly string[], flags: Flags): Parsed {
  try {
    const { values, positionals, tokens } = parseArgs({
      args: protectNegatives(argv, flags),
      options: flags,
      allowPositionals: true,
      strict: true,
      tokens: true,
    });
    const order = tokens.flatMap((token) => (token.kind === 'option' ? [token] : []));
    return { values, positionals, order };
  } catch (error) {
    const detail = usageDetail((error as Error).message, argv, Object.keys(flags));
    throw failure(generalErrors.USAGE, { detail: `${detail}; --help lists the options` }, undefined, error);
  }
}

/** Node's message goes on about positionals that begin with '-', and reads -t_srs as -t with more letters behind it. */
function usageDetail(message: string, argv: readonly string[], flags: readonly string[]): string {
  const [detail] = message.split('. ', 1);
  const [, unknown] = /^Unknown option '(-{1,2}[^']*)'/.exec(detail) ?? [];
  if (unknown === undefined) return detail;
  const isMeant = (one: string): boolean =>
    one === unknown || (/^-[a-z]/.test(one) && one.startsWith(unknown));
  const typed = argv.find(isMeant) ?? unknown;
  return `Unknown option '${typed}'${optionHint(typed, flags)}`;
}

/** `--buffer -5m` as `--buffer=-5m`: to Node a value that begins with '-' is a flag that lost its way. */
function protectNegatives(argv: readonly string[], flags: Flags): string[] {
  const args: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const next = argv[i + 1];
    const takesValue = argv[i].startsWith('--') && flags[argv[i].slice(2)]?.type === 'string';
    if (takesValue && next !== undefined && /^-[\d.]/.test(next)) args.push(`${argv[i]}=${argv[++i]}`);
    else args.push(argv[i]);
  }
  return args;
}

/** `--in-NAME` for every read option and `--out-NAME` for every write option of all formats. */
export function formatFlags(side: 'in' | 'out'): Flags {
  const flags: Flags = {};
  for (const format of formats) {
    const schema = side === 'in' ? format.readOptions : format.writeOptions;
    for (const name of Object.keys(schema.properties)) flags[flagName(side, name)] = { type: 'string' };
  }
  return flags;
}

/**
 * The option values that were given for this format, checked. `among`: the formats of all files; options of the others are
 * ignored. Throws USAGE or CONFIG_INVALID.
 */
export async function formatOptions(
  parsed: Parsed,
  side: 'in' | 'out',
  format: Format,
  among: readonly Format[] = [format],
): Promise<Readonly<Record<string, unknown>>> {
  const schema = side === 'in' ? format.readOptions : format.writeOptions;
  const options: Record<string, unknown> = {};
  const known = formatFlags(side);
  for (const [flag, value] of Object.entries(parsed.values)) {
    if (!Object.hasOwn(known, flag) || typeof value !== 'string') continue;
    const name = flag.slice(side.length + 1).replaceAll('-', '_');
    if (!Object.hasOwn(schema.properties, name)) {
      if (among.some(({ readOptions }) => side === 'in' && Object.hasOwn(readOptions.properties, name)))
        continue;
      throw noOption(flag, name, side, side === 'in' ? among : [format]);
    }
    options[name] = typedValue(value, schema.properties[name], flag);
  }
  if (Object.keys(options).length === 0) return options;
  // The schema validator takes as long to load as a small conversion to run: only for who needs it.
  const { validateOptions } = await import('@geomill/formats/options.ts');
  return validateOptions(schema, options, side === 'in' ? 'input' : 'output');
}

export function flagName(side: 'in' | 'out', option: string): string {
  return `${side}-${option.replaceAll('_', '-')}`;
}

/** The error of an option that is one of another format. */
function noOption(flag: string, name: string, side: 'in' | 'out', among: readonly Format[]): Error {
  const asked = [...new Set(among)];
  const names = new Set(
    asked.flatMap(({ readOptions, writeOptions }) =>
      Object.keys((side === 'in' ? readOptions : writeOptions).properties),
    ),
  );
  const found = closest(name, [...names]);
  const hint = found === null ? '' : ` (did you mean --${flagName(side, found)}?)`;
  const list = [...names].map((known) => `--${flagName(side, known)}`).join(', ') || 'none';
  const ids = asked.map(({ id }) => id).join(' or ');
  return failure(generalErrors.USAGE, {
    detail: `--${flag} is not an option of ${ids}${hint}; ${asked.length === 1 ? 'it has' : 'they have'} ${list}`,
  });
}

function typedValue(text: string, schema: object, flag: string): unknown {
  const value = optionOfText(text, schema);
  if (value !== null) return value;
  throw failure(generalErrors.USAGE, {
    detail: `--${flag} wants ${typesOf(schema).join(' or ')}, not '${text}'`,
  });
}

const flagKey = (name: string): FormatKey => ({
  name,
  advice: `use ${name} with one of`,
  directoryAdvice: ', or use --out-dir DIR and --to FORMAT',
  refuse: (detail) => failure(generalErrors.USAGE, { detail }),
});
const FROM = flagKey('--from');
const TO = flagKey('--to');

const NAMELESS = 'standard input and output have no name to tell the format';

/**
 * The format that `named` is, else the one of the file name's extension, else the one that the beginning of the file
 * shows. The beginning of the file at a URL is not read. Throws USAGE if no format is found.
 */
export function chooseInputFormat(named: unknown, fileName: string, key = FROM): InputFormat {
  if (typeof named === 'string') return inputFormatById(named, key.name);
  const isRemote = isUrl(fileName);
  const layers = isRemote ? layerFormatOf(fileName) : null;
  if (layers !== null) return layers;
  const isStandard = fileName === '-';
  const file = {
    name: isRemote ? fileNameOf(fileName) : isStandard ? '' : fileName,
    shown: shownInput(fileName),
    nameless: NAMELESS,
    isMissing: !isRemote && !isStandard && statOf(fileName) === null,
    content: (): InputContent | null => {
      if (isStandard || isRemote) return null;
      const { isFile, isDirectory } = inputStats(fileName);
      return isFile || isDirectory ? contentOf(fileName) : null;
    },
  };
  return inputFormatOf(file, key);
}

/** The output format that `named` is, else the one of the file name's extension. Throws USAGE if there is none. */
export function chooseOutputFormat(named: unknown, fileName: string, key = TO): OutputChoice {
  return outputFormatOf(named, { name: fileName === '-' ? '' : fileName, nameless: NAMELESS }, key);
}

/**
 * Whether the CRS of a file, by its number, is stated once for files of several formats, of which only some may need it. `target`: the format
 * of the target of an append, the first file.
 */
export function crsSharing(
  { 'from-crs': from, 'append-crs': appended }: Parsed['values'],
  formats: readonly Format[],
  target: Format | null,
): (file: number) => boolean {
  const stated = [appended ?? from].flat();
  const isMixed =
    new Set([...formats, ...(appended === undefined && target !== null ? [target] : [])]).size > 1;
  return (file) => isMixed && stated.length === 1 && (file > 0 || appended === undefined);
}
