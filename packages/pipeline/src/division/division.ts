/**
 * A large conversion gives passes over its partitions to other processes, in parts: runs of consecutive tasks. The conversion itself is the
 * same as on one machine. It plans, and consumes the results of all tasks in order; only where the tasks run is different
 * (docs/decisions/jobs-over-machines.md).
 */
import { outputFormatById } from '@geomill/formats/format-by-id.ts';
import { inputFormats, outputFormats } from '@geomill/formats/registry.ts';
import type { LoadedStep } from '../conversion-plan.ts';
import type { ConversionRequest } from '../request.ts';
import { formatRead } from '../sidecar/restored-format.ts';

/** How a conversion reaches the other processes. Paths are relative to the working directory, which all processes arrange alike. */
export interface Division {
  /** Bytes of input that a part reads, about. */
  readonly partBytes: number;
  /** Number of parts of an offer; fewer if it has fewer tasks. Default: by `partBytes`, and nothing is offered if that makes fewer than two. */
  readonly partCount?: number;
  /** Path of the input that all processes can read. */
  readonly inputPath: string;
  /** Receives the largest number of offers that follow, unless the conversion finds that it guessed wrong. Default: no one needs to know. */
  expect?(passes: number): void;
  offer(offer: Offer): void;
  /** The conversion cannot be divided: it offers nothing. `reason`: a clause for a message. Default: no one needs to know. */
  decline?(reason: string): void;
  /** The parts that were offered are not needed any more. */
  withdraw(): void;
  /** Waits until this process has to run a part itself; resolves with its number. */
  takeOwn(): Promise<number>;
  /** Waits until another process has run the part; resolves with the path of its file. */
  result(number: number): Promise<string>;
}

export interface Offer {
  /** Number of the first part; the others follow. */
  readonly first: number;
  /** Path of the file with the session. */
  readonly session: string;
  readonly parts: readonly OfferedPart[];
  /** Paths of unpacked files that the tasks read. */
  readonly files: readonly string[];
  /** The tasks read the input itself. */
  readonly readsInput: boolean;
  /** Progress of the conversion before and after the parts. */
  readonly progress: readonly [from: number, to: number];
}

/** Of one offer. Parts of larger inputs are larger. */
export const MAX_PARTS = 1000;
export const MAX_FILES = 500;
/** Of a conversion: to infer the schema, to collect statistics of the output of the steps, to encode it. */
export const MAX_PASSES = 3;

export interface OfferedPart {
  /** Path of the file with the tasks. */
  readonly tasks: string;
  /** Number of tasks. */
  readonly count: number;
  /** Bytes of the input where the records of the part begin; null: only the reader knows which bytes it reads. */
  readonly range: readonly [start: number, end: number] | null;
}

/**
 * Why the conversion cannot be divided, as a clause for a message; null: it can. In a divided conversion every task is independent of the
 * others, and the output is encoded pieces in sequence.
 */
export function indivisibility(
  { operation, input, output }: ConversionRequest,
  steps: readonly LoadedStep[],
): string | null {
  if (operation !== 'transform') return `${operation} reads several files in sequence`;
  const from = formatRead(input.format);
  if (from.isReadInParts !== true)
    return `${from.name} is not read in parts; formats that are: ${namesOf(inputFormats.filter((format) => format.isReadInParts))}`;
  const to = outputFormatById(output.format, 'output.format');
  if (to.isWrittenInParts !== true)
    return `${to.name} is not written in parts; formats that are: ${namesOf(outputFormats.filter((format) => format.isWrittenInParts))}`;
  if (output.options.sidecar === true) return 'its sidecar needs the features in one process';
  if (output.split !== undefined) return 'the output is split by a field';
  const step = steps.find(
    ({ code }) => code.kind !== 'reprojecting' && (code.kind !== 'streaming' || code.conclude !== undefined),
  );
  return step === undefined ? null : `the step ${step.type} needs all features of a layer`;
}

function namesOf(formats: readonly { readonly name: string }[]): string {
  return formats.map(({ name }) => name).join(', ');
}
