/** Flags of a command line as requests to the pipeline. */
import { type CrsText, parseCrs, parseInputCrs, parseOutputCrs, SOURCE_CRS } from '@geomill/core/crs/crs.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { type FailOn, failOnSeverities } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { Format, InputFormat } from '@geomill/formats/format.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import { type OutputChoice, type RunInputs, runsByFormat } from '@geomill/library/choose-format.ts';
import type { Division } from '@geomill/pipeline/division/division.ts';
import type {
  ConversionRequest,
  InputFileRequest,
  MergeRequest,
  OutputRequest,
} from '@geomill/pipeline/request.ts';
import {
  chooseInputFormat,
  chooseOutputFormat,
  crsSharing,
  formatOptions,
  type Parsed,
} from './arguments.ts';
import { type SplitDirectory, splitOf } from './split.ts';
import { stepsOf } from './steps.ts';
import { shownInput } from './urls.ts';

/** A conversion of a command. */
export interface Conversion {
  readonly operation: ConversionRequest['operation'];
  /** As typed: paths, URLs, '-' for standard input. */
  readonly inputs: readonly string[];
  /** One for each input. */
  readonly files: readonly InputFileRequest[];
  /** As typed; '-' is standard output. */
  readonly output: string;
  /** Name without extension of an output that has none; it gives layers their names. */
  readonly unnamed: string;
  /** Gets the files of a split output, in place of `output`, whose name is used for layers without one. Default: none. */
  readonly directory?: SplitDirectory;
  /** What becomes of the attributes of a merge. */
  readonly merge?: MergeRequest;
  /** Formats of all files of the command, if it has further conversions; a read option is one of any of them. */
  readonly among?: readonly Format[];
  /** The runs, if flags do not state them. */
  readonly planned?: readonly PlannedRun[];
  /** What a plan of parts states. Default: nothing is divided, and the settings of this process count. */
  readonly divided?: DividedSetting;
}

export interface DividedSetting {
  readonly division: Division;
  /** The time that an output states, if its format states one. */
  readonly timeMs: number;
  readonly limits: InputLimits;
}

export interface PlannedRun {
  readonly request: ConversionRequest;
  /** Positions of its inputs in those of the conversion. */
  readonly positions: readonly number[];
}

/** The inputs, then the files of steps; each once. */
export function filesRead(inputs: readonly string[], runs: readonly PlannedRun[]): readonly string[] {
  const ofSteps = runs.flatMap(({ request }) =>
    request.transformations.flatMap(({ file }) => (file === undefined ? [] : [file.input])),
  );
  return [...inputs, ...new Set(ofSteps)];
}

/** The runs of a command line. Throws USAGE, and what the checks of options and steps throw. */
export async function checkedRuns(conversion: Conversion, parsed: Parsed): Promise<readonly PlannedRun[]> {
  if (conversion.planned !== undefined) return conversion.planned;
  const { operation, inputs, output } = conversion;
  const { from, to } = parsed.values;
  // Standard input has the format of the first file that has a name.
  const named = inputs.find((path) => path !== '-') ?? '-';
  const formats = inputs.map((path) => chooseInputFormat(from, path === '-' ? named : path));
  const failOn = failOnOf(parsed.values['fail-on']);
  const choice = chooseOutputFormat(to, output);
  const groups = runsByFormat(operation, formats, choice.format, (other) =>
    failure(generalErrors.USAGE, {
      detail: `'${shownInput(inputs[0])}' is ${formats[0].id} and '${shownInput(inputs[other])}' is ${formats[other].id}; files of several formats can be merged, or appended to a GeoPackage and written as one; else convert some first`,
    }),
  );
  const among = conversion.among ?? [...new Set(groups.flatMap(formatsOf))];
  const runs: PlannedRun[] = [];
  for (const group of groups) {
    const input = await inputOf(conversion, group, among, parsed);
    const shared = { operation, input, ...(failOn === null ? {} : { failOn }) };
    runs.push({
      request: { ...shared, ...(await restOf(conversion, choice, parsed)) },
      positions: group.positions,
    });
  }
  return runs;
}

function formatsOf({ format, formatOfEach }: RunInputs): readonly InputFormat[] {
  return formatOfEach ?? [format];
}

async function inputOf(
  { operation, files }: Conversion,
  { format, targetFormat, formatOfEach, positions }: RunInputs,
  among: readonly Format[],
  parsed: Parsed,
): Promise<ConversionRequest['input']> {
  const { values } = parsed;
  const isCrsShared = crsSharing(values, among, operation === 'append' ? (targetFormat ?? format) : null);
  const fileOf = async (position: number, i: number): Promise<InputFileRequest> => {
    const stated = files[position];
    const file = isCrsShared(i) ? { ...stated, crsOnlyIfMissing: true as const } : stated;
    const own = formatOfEach?.[i] ?? format;
    if (own === format) return file;
    return { ...file, own: { format: own.id, options: await formatOptions(parsed, 'in', own, among) } };
  };
  return {
    format: format.id,
    ...(targetFormat === undefined ? {} : { targetFormat: targetFormat.id }),
    files: await Promise.all(positions.map(fileOf)),
    layers: values.layer === undefined ? null : (values.layer as string[]),
    options: await formatOptions(parsed, 'in', format, among),
  };
}

/** The part of the request that does not depend on the inputs. */
async function restOf(
  { output, directory, merge }: Conversion,
  to: OutputChoice,
  parsed: Parsed,
): Promise<Omit<ConversionRequest, 'operation' | 'input' | 'failOn'>> {
  const { values } = parsed;
  const isExtended = values.update === true;
  if (isExtended && (!to.format.isExtendable || output === '-'))
    throw failure(generalErrors.USAGE, {
      detail: `--update adds layers to an existing GeoPackage, and '${output}' is not one`,
    });
  const layerName = values['layer-name'];
  const split = splitOf(parsed, output, directory, to.format, to.options);
  return {
    transformations: await stepsOf(parsed),
    output: {
      format: to.format.id,
      ...outputCrsOf(values['to-crs']),
      toFile: true,
      ...(typeof layerName === 'string' ? { layerName } : {}),
      ...(split === null ? {} : { split }),
      ...(isExtended ? { existing: values.overwrite === true ? 'replace' : 'add' } : {}),
      options: { ...to.options, ...(await formatOptions(withShortFlags(parsed), 'out', to.format)) },
    },
    ...(merge === undefined ? {} : { merge }),
    ...(values.strict === true ? { strict: true } : {}),
    ...(values['accept-impossible-coordinates'] === true ? { acceptImpossibleCoordinates: true } : {}),
    ...(values.exact === true ? { exact: true } : {}),
  };
}

function failOnOf(value: unknown): FailOn | null {
  if (value === undefined) return null;
  const severity = failOnSeverities.find((known) => known === value);
  if (severity !== undefined) return severity;
  throw failure(generalErrors.USAGE, {
    detail: `--fail-on takes ${failOnSeverities.join(' or ')}, not '${String(value)}'`,
  });
}

/** The CRS that a flag states; null where it was not given. */
export function crsOf(value: unknown, flag: string): CrsText | null {
  return typeof value === 'string' ? parseInputCrs(value, `--${flag}`, parseCrs) : null;
}

/** `--decimals` is short for `--out-decimals`, `--sidecar` for `--out-sidecar true`. */
function withShortFlags(parsed: Parsed): Parsed {
  const { decimals, sidecar } = parsed.values;
  if (decimals === undefined && sidecar !== true) return parsed;
  const given = {
    ...(decimals === undefined ? {} : { 'out-decimals': decimals }),
    ...(sidecar === true ? { 'out-sidecar': 'true' } : {}),
  };
  return { ...parsed, values: { ...parsed.values, ...given } };
}

function outputCrsOf(value: unknown): Pick<OutputRequest, 'crs' | 'crsPath'> {
  if (typeof value !== 'string') return { crs: SOURCE_CRS };
  return { crs: parseOutputCrs(value, '--to-crs', parseCrs), crsPath: 'output.epsg' };
}
