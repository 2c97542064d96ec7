/** The commands that do the same as a job of the form. */
import { formatNamed } from '@geomill/formats/format-by-id.ts';
import { inputFormats, outputFormats } from '@geomill/formats/registry.ts';
import type { OwnJobDetails } from '../account/own-jobs.ts';
import { formatByName } from './form-fields.ts';

interface JobConfig {
  readonly input: { readonly format: string; readonly epsg?: string; readonly layer?: readonly string[] };
  readonly transformations: readonly {
    readonly type: string;
    readonly params: Readonly<Record<string, unknown>>;
  }[];
  readonly output?: Readonly<Record<string, unknown>> & { readonly format: string; readonly epsg?: string };
}

export interface Commands {
  readonly curl: string;
  /** Null: the job has options that are not in the form. */
  readonly cli: string | null;
}

/** Null: a job with several files, or with a request that is too long to be shown. */
export function commandsOf(
  job: OwnJobDetails,
  { baseUrl, needsKey }: { readonly baseUrl: string; readonly needsKey: boolean },
): Commands | null {
  if (job.request === null || job.inputNames.length !== 1 || job.hasStepFiles) return null;
  if (job.operation !== 'transform' && job.operation !== 'inspect') return null;
  const config = statedCrs(JSON.parse(job.request) as JobConfig, job.readCrs);
  const [name] = job.inputNames;
  const path = job.operation === 'inspect' ? '/v1/inspect' : `/v1/transform/${job.inputFormat}`;
  const part = job.operation === 'inspect' ? 'input_file' : 'file';
  const curl = [
    'curl -f',
    ...(job.operation === 'inspect' ? [] : ['-OJ']),
    ...(needsKey ? ['-H "apiKey: $GEOMILL_KEY"'] : []),
    // curl looks for attributes such as ;type= in the value of -F.
    `--form-string ${quoted(`config=${JSON.stringify(shortest(config))}`)}`,
    `-F ${quoted(`${part}=@${formFileName(name)}`)}`,
    quoted(baseUrl + path),
  ].join(' ');
  return {
    curl,
    cli: job.operation === 'inspect' ? infoCommand(config, name) : convertCommand(config, name, job),
  };
}

/** Without members that say what is the default anyway. */
function shortest({ input, transformations, output }: JobConfig): object {
  if (output === undefined) return { input };
  const { to_file: toFile, ...rest } = output;
  return {
    input,
    ...(transformations.length === 0 ? {} : { transformations }),
    output: toFile === false ? output : rest,
  };
}

/** Formats that store no CRS need it in the request; where the job found it, it is added. */
function statedCrs(config: JobConfig, readCrs: string | null): JobConfig {
  const format = formatNamed(inputFormats, config.input.format);
  if (format?.inputCrs !== 'request' || config.input.epsg !== undefined || readCrs === null) return config;
  return /^EPSG:\d+$/.test(readCrs) ? { ...config, input: { ...config.input, epsg: readCrs } } : config;
}

/** Names with a comma or a semicolon need quotes of curl's own. */
function formFileName(name: string): string {
  return /^[\w. -]+$/.test(name) ? name : `"${name.replace(/[\\"]/g, '\\$&')}"`;
}

function infoCommand({ input }: JobConfig, name: string): string {
  return ['geomill info', fileArgument(name), ...fromFlags(input, name)].join(' ');
}

function convertCommand(config: JobConfig, name: string, job: OwnJobDetails): string | null {
  const { input, transformations, output } = config;
  if (output === undefined) return null;
  const { format, epsg, decimals, to_file: toFile, ...options } = output;
  const isKnown = Object.keys(input).every((key) => ['format', 'epsg', 'layer'].includes(key));
  const steps = transformations.map(stepFlag);
  // The extension of the output selects a variant of the format.
  const variants = formatNamed(outputFormats, format)?.outputVariants ?? [];
  const variant = variants.find(({ option, values }) => values.includes(options[option]));
  const isUnselected = (key: string): boolean =>
    options[key] === false && variants.some(({ option }) => option === key);
  const isOrdinary = Object.keys(options).every((key) => key === variant?.option || isUnselected(key));
  if (!isKnown || toFile === false || !isOrdinary || steps.includes(null)) return null;
  const outputName = job.outputName ?? `output${formatNamed(outputFormats, format)?.outputExtension ?? ''}`;
  const isSame = outputName === name;
  return [
    'geomill convert',
    fileArgument(name),
    fileArgument(isSame ? `converted-${outputName}` : outputName),
    ...fromFlags(input, name),
    ...(epsg === undefined || epsg === 'source' ? [] : [`--to-crs ${quoted(epsg)}`]),
    ...(decimals === undefined ? [] : [`--decimals ${quoted(String(decimals))}`]),
    ...steps,
  ].join(' ');
}

function fromFlags({ format, epsg, layer = [] }: JobConfig['input'], name: string): string[] {
  return [
    ...(formatByName(name)?.id === format ? [] : [`--from ${format}`]),
    ...(epsg === undefined ? [] : [`--from-crs ${quoted(epsg)}`]),
    ...layer.map((one) => `--layer=${quoted(one)}`),
  ];
}

const SUFFIXES: Readonly<Record<string, string>> = { meters: 'm', kilometers: 'km', feet: 'ft', miles: 'mi' };

/** Null: a step that the form does not have. */
function stepFlag({ type, params }: JobConfig['transformations'][number]): string | null {
  const { tolerance, units, preserve_topology: keeps = true, ...others } = params;
  const suffix = SUFFIXES[String(units)];
  if (type !== 'simplify' || suffix === undefined || keeps !== true || Object.keys(others).length > 0)
    return null;
  return `--simplify ${tolerance}${suffix}`;
}

/** A name that begins with a hyphen is no option. */
function fileArgument(name: string): string {
  return quoted(name.startsWith('-') ? `./${name}` : name);
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
