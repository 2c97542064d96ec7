/** Opens the input files, a few at a time. If there are several, errors and findings name the file. */

import { GeomillError, type Location } from '@geomill/core/messages/errors.ts';
import { Findings, type FoundFinding } from '@geomill/core/messages/findings.ts';
import { textOf } from '@geomill/core/messages/message.ts';
import { OrderedTasks } from '@geomill/core/ordered-tasks.ts';
import { positionText } from '@geomill/core/text/text-position.ts';
import type { FormatReader, OpenContext } from '@geomill/formats/reader.ts';
import { openFileSource } from '@geomill/io/byte-source.ts';
import { GZIP_EXTENSION, isGzip, unpackGzip } from '@geomill/io/gzip.ts';
import type { ScratchSpace } from '@geomill/io/scratch-space.ts';
import { positionInFile } from '@geomill/io/text-position.ts';
import { UnpackBudget } from '@geomill/io/unpack-budget.ts';
import { fileFacts, fileSize, makeDirectory } from '@geomill/platform/files.ts';
import { joinedPath } from '@geomill/platform/paths.ts';
import type { Executor } from './executor.ts';
import { checkLayerNames } from './name-lengths.ts';
import type { OpenedInput } from './opened-input.ts';
import { throwIfAborted } from './partition-run.ts';
import { reportedFindings } from './report.ts';
import type { ConversionPaths, InputFileRequest, InputPath, InputRequest } from './request.ts';

export interface Opening {
  /** Of each file. */
  readonly readers: readonly Pick<FormatReader, 'open'>[];
  readonly input: InputRequest;
  readonly paths: Pick<ConversionPaths, 'inputs' | 'scratchDirectory' | 'limits'>;
  readonly findings: Findings;
  readonly partitionBytes: number;
  /** As in OpenContext. */
  readonly forSelection?: true;
  readonly scratch: ScratchSpace;
  readonly signal: AbortSignal;
  /** Default: there are no threads. */
  readonly executor?: Pick<Executor, 'width' | 'read'> | null;
  /** Codes of findings about content that the output has as well. */
  readonly keptContent?: ReadonlySet<string>;
  /** The first file is the target of an append. */
  readonly hasTarget: boolean;
  readonly tables: Pick<OpenContext, 'tables' | 'geometriesUnused'>;
  readonly describeCrs: NonNullable<OpenContext['describeCrs']>;
}

/**
 * The inputs with gzip files replaced by their content, unpacked into the scratch directory. A file named
 * "roads.csv.gz" becomes "roads.csv". Throws GZIP_INVALID and LIMIT_EXCEEDED.
 */
export async function withoutGzip(
  { inputs, scratchDirectory, limits }: Pick<ConversionPaths, 'inputs' | 'scratchDirectory' | 'limits'>,
  scratch: ScratchSpace,
  signal: AbortSignal,
): Promise<readonly InputPath[]> {
  if (!inputs.some(({ path }) => isGzip(firstBytes(path)))) return inputs;
  const budget = new UnpackBudget(limits, scratch.unpacked);
  const plain: InputPath[] = [];
  for (const [i, input] of inputs.entries()) {
    if (!isGzip(firstBytes(input.path))) {
      plain.push(input);
      continue;
    }
    const path = joinedPath(scratchDirectory, `gunzip-${i + 1}`);
    await unpackGzip({ ...input, byteLength: fileSize(input.path) }, path, budget, signal);
    plain.push({ ...input, path, name: input.name.replace(GZIP_EXTENSION, '') || input.name });
  }
  return plain;
}

/** Whether the text of an error that states a byte also has room for line and column. */
function hasTextPosition({ entry }: GeomillError): boolean {
  return entry.template.includes('{position?}');
}

/**
 * The error with line and column of the byte that it states. Not where it is created: readers may begin at a wrong place,
 * whose errors are discarded, and the lines before it are counted by reading the file again.
 */
export function withTextPosition(error: unknown, inputs: readonly InputPath[]): unknown {
  if (!(error instanceof GeomillError) || !hasTextPosition(error)) return error;
  const { offset, file } = error.location ?? {};
  const input = file === undefined ? inputs[0] : inputs[distinctNames(inputs).indexOf(file)];
  if (offset === undefined || input === undefined) return error;
  const found = positionInFile(input.path, offset);
  const params = { ...error.params, position: ` (${positionText(found)})` };
  return new GeomillError(error.entry, params, { ...error.location, ...found }, error);
}

function firstBytes(path: string): Uint8Array {
  // A missing file is reported by the reader, and a folder is not compressed.
  if (fileFacts(path)?.isDirectory !== false) return new Uint8Array();
  using source = openFileSource(path);
  return source.slice(0, 3);
}

export async function openInputs(opening: Opening): Promise<OpenedInput[]> {
  const { inputs } = opening.paths;
  const names = distinctNames(inputs);
  const tasks = new OrderedTasks({
    tasks: inputs.keys(),
    run: (index: number) => openInput(opening, inputs[index], index, names[index]),
    width: OPENING_AHEAD,
  });
  const opened: OpenedInput[] = [];
  try {
    throwIfAborted(opening.signal);
    for (let next = await tasks.next(); next !== null; next = await tasks.next()) {
      const { outcome } = next;
      // The first broken file is reported.
      if ('error' in outcome) throw outcome.error;
      const { input, findings, within } = outcome.result;
      opening.findings.merge(findings, within);
      opened.push(input);
      throwIfAborted(opening.signal);
    }
  } finally {
    // Nobody waits for the files that are being opened.
    void tasks.close();
  }
  return opened;
}

/** Findings about what a file says of its layers, which concern only those that are read. */
const OF_LAYERS: ReadonlySet<string> = new Set([
  'FIELD_CONSTRAINTS_DROPPED',
  'FIELD_DESCRIPTIONS_DROPPED',
  'LAYER_CONTENT_DROPPED',
  'LAYER_DESCRIPTION_DROPPED',
]);
/** Findings about content that a target keeps if the output extends it. */
const KEPT_IN_TARGET: ReadonlySet<string> = new Set([
  ...OF_LAYERS,
  'FILE_CONTENT_DROPPED',
  'FILE_DESCRIPTION_DROPPED',
  'LAYER_SKIPPED',
  'ATTRIBUTES_SKIPPED',
]);

/** Files that are opened concurrently, with their archives unpacked at the same time. */
const OPENING_AHEAD = 4;

interface Opened {
  readonly input: OpenedInput;
  readonly findings: readonly FoundFinding[];
  /** A location within the file as one within all of them. */
  readonly within: (location: Location) => Location;
}

/** Uploads may have the same name: the second "roads.zip" is reported as "roads.zip (2)". */
function distinctNames(inputs: readonly InputPath[]): string[] {
  const counts = new Map<string, number>();
  return inputs.map(({ name }) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}

/** Whoever states the CRS of this very file means its positions. */
function statesPositions({ crs, crsOnlyIfMissing }: InputFileRequest): boolean {
  return crs !== null && crsOnlyIfMissing !== true;
}

async function openInput(opening: Opening, file: InputPath, index: number, name: string): Promise<Opened> {
  const { input, paths, partitionBytes, forSelection, scratch } = opening;
  const isOtherTarget =
    index === 0 && input.targetFormat !== undefined && input.targetFormat !== input.format;
  const isOne = paths.inputs.length === 1;
  const findings = new Findings();
  try {
    const layers = await opening.readers[index].open(file, {
      scratchDirectory: isOne ? paths.scratchDirectory : ownDirectory(paths.scratchDirectory, index),
      limits: paths.limits,
      options: isOtherTarget ? {} : (input.files[index].own?.options ?? input.options),
      findings,
      partitionBytes,
      ...(forSelection === undefined ? {} : { forSelection }),
      ...(statesPositions(input.files[index]) ? { hasPositions: true as const } : {}),
      scratch,
      describeCrs: opening.describeCrs,
      // Tables of a target are left as they are, unless one of them gets the rows.
      ...(opening.hasTarget && index === 0 ? { tables: input.layers ?? [] } : opening.tables),
      ...threadsOf(opening, index),
    });
    checkLayerNames(layers);
    const mayBeKept = ({ code }: FoundFinding): boolean =>
      opening.hasTarget && index === 0 && KEPT_IN_TARGET.has(code);
    const isKept = ({ code }: FoundFinding): boolean => opening.keptContent?.has(code) ?? false;
    const isChosen = ({ code, params }: FoundFinding): boolean =>
      input.layers === null || !OF_LAYERS.has(code) || input.layers.includes(String(params.layer));
    const found = findings
      .noted()
      .filter((finding) => !mayBeKept(finding) && !isKept(finding) && isChosen(finding));
    const ignored = found.find(({ code }) => code === 'CRS_MEMBER_IGNORED');
    const within = (at: Location): Location => (isOne ? at : { file: name, ...at });
    return {
      input: {
        name,
        path: file.path,
        skipped: findings.noted().filter(mayBeKept),
        ...(file.isUnnamed ? { isUnnamed: true } : {}),
        layers,
        ignoredCrs: ignored === undefined ? null : textOf(ignored.params.crs),
      },
      findings: reportedFindings(found, input.files[index].crs !== null).map((finding) =>
        isOne || finding.places.length > 0 ? finding : { ...finding, places: [{}] },
      ),
      within,
    };
  } catch (error) {
    if (isOne || !(error instanceof GeomillError) || error.fault === 'ours') throw error;
    throw new GeomillError(error.entry, error.params, { file: name, ...error.location }, error);
  }
}

function threadsOf({ executor, input }: Opening, index: number): Pick<OpenContext, 'threads'> {
  const read = executor?.read;
  if (executor == null || read === undefined) return {};
  const target = index === 0 ? input.targetFormat : undefined;
  const format = target ?? input.files[index].own?.format ?? input.format;
  return { threads: { width: executor.width, work: (payload) => read({ format, payload }) } };
}

/** Each input gets a directory: archives may have members with the same names. */
function ownDirectory(scratchDirectory: string, index: number): string {
  const directory = joinedPath(scratchDirectory, String(index + 1));
  makeDirectory(directory);
  return directory;
}
