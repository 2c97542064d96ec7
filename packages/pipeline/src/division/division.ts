/**
 * A large conversion gives passes over its partitions to other processes, in parts: runs of consecutive tasks. The conversion itself is the
 * same as on one machine. It plans, and consumes the results of all tasks in order; only where the tasks run is different
 * (docs/decisions/jobs-over-machines.md).
 */
import { inputFormatById, outputFormatById } from '@geomill/formats/format-by-id.ts';
import type { LoadedStep } from '../conversion-plan.ts';
import type { ConversionRequest } from '../request.ts';

/** How a conversion reaches the other processes. Paths are relative to the working directory, which all processes arrange alike. */
export interface Division {
  /** Bytes of input that a part reads, about. */
  readonly partBytes: number;
  /** Path of the input that all processes can read. */
  readonly inputPath: string;
  offer(offer: Offer): void;
  /** The conversion cannot be divided: it offers nothing. Default: no one needs to know. */
  decline?(): void;
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

export interface OfferedPart {
  /** Path of the file with the tasks. */
  readonly tasks: string;
  /** Number of tasks. */
  readonly count: number;
  /** Bytes of the input where the records of the part begin; null: only the reader knows which bytes it reads. */
  readonly range: readonly [start: number, end: number] | null;
}

/** Whether the conversion can be divided: every task is independent of the others, and outputs are encoded pieces in sequence. */
export function isDivisible(
  { operation, input, output }: ConversionRequest,
  steps: readonly LoadedStep[],
): boolean {
  return (
    operation === 'transform' &&
    inputFormatById(input.format, 'input.format').isReadInParts === true &&
    outputFormatById(output.format, 'output.format').isWrittenInParts === true &&
    output.split === undefined &&
    steps.every(
      ({ code }) =>
        (code.kind === 'streaming' && code.conclude === undefined) || code.kind === 'reprojecting',
    )
  );
}
