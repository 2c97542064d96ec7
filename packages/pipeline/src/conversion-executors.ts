/**
 * The executors of one conversion: this thread for small inputs, threads for large ones (started before the inputs are opened
 * if these are certainly large), and other processes where the work is divided.
 */
import type { SourceLayer } from '@geomill/formats/reader.ts';
import type { ScratchSpace } from '@geomill/io/scratch-space.ts';
import type { Transformation } from '@geomill/operations/transformation.ts';
import type { Codecs } from './codecs.ts';
import type { ConversionPlan, LoadedStep } from './conversion-plan.ts';
import { type Division, indivisibility } from './division/division.ts';
import type { Executor } from './executor.ts';
import { type Cutting, cuttingFor, executorFor, threadExecutor, threadsForBinary } from './executors.ts';
import { byteLengthOf } from './opened-input.ts';
import type { ConversionPaths, ConversionRequest, InputPath } from './request.ts';
import type { Session } from './task.ts';
import { newThreads, type ThreadSource } from './threads.ts';

export interface ExecutorSetting {
  readonly request: ConversionRequest;
  readonly paths: Pick<ConversionPaths, 'threads' | 'outputPath' | 'scratchDirectory'>;
  readonly codecs: Codecs;
  readonly steps: readonly LoadedStep[];
  readonly registry: readonly Transformation[];
  readonly threads: ThreadSource;
  readonly division: Division | undefined;
  readonly scratch: ScratchSpace;
}

export class ConversionExecutors {
  readonly cutting: Cutting;
  readonly #setting: ExecutorSetting;
  #executor: Executor | null = null;
  /** Gives the tasks of `#executor` to other processes; null: it does not. */
  #dividing: Executor | null = null;

  constructor(setting: ExecutorSetting) {
    this.#setting = setting;
    this.cutting = cuttingFor(workOf(setting.steps));
  }

  /** Null until threads are started early, or an executor was chosen. */
  get current(): Executor | null {
    return this.#executor;
  }

  /** Starts threads for inputs that are certainly large. */
  startEarly(inputs: readonly InputPath[]): void {
    const { request, paths, steps, threads } = this.#setting;
    const inputBytes = byteLengthOf(inputs);
    if (this.#executor !== null || inputBytes < this.cutting.certainlyLargeBytes || threads.size < 2) return;
    const copiesBinary = this.#copiesBinary;
    const count = copiesBinary ? threadsForBinary(paths.threads, inputBytes) : paths.threads;
    // PROJ is not expected: threads compute most reprojections without it.
    const expectation = {
      inputFormat: request.input.format,
      outputFormat: request.output.format,
      transformations: steps.map(({ type }) => type),
    };
    this.#executor = threadExecutor(threads, count, expectation, copiesBinary);
  }

  /** The executor for these layers, the same for all attempts at the conversion. */
  choose(layers: readonly SourceLayer[], inputs: readonly InputPath[]): Executor {
    const { paths, registry, threads } = this.#setting;
    this.#executor ??= executorFor(
      layers,
      paths.threads,
      byteLengthOf(inputs),
      this.cutting,
      registry,
      threads,
    );
    return this.#executor;
  }

  /** The next attempt reads more: it may need threads although this one did not. */
  forgetSerial(): void {
    if (this.#executor?.width === 1) this.#executor = null;
  }

  /** An executor that gives tasks to other processes, or the local one. */
  async divided(local: Executor, { layers }: Session, plan: ConversionPlan): Promise<Executor> {
    const { request, paths, codecs, steps, division, scratch } = this.#setting;
    if (division === undefined) return local;
    const reason = indivisibility(request, steps);
    if (reason !== null) {
      division.decline?.(reason);
      return local;
    }
    division.expect?.(passCount(plan));
    const { DividedExecutor } = await import('./division/divided-executor.ts');
    const { reader } = codecs.input;
    this.#dividing ??= new DividedExecutor({
      local,
      division,
      taskBytes: this.cutting.partitionBytes,
      hasByteRanges: reader.excerpts?.boundaries === 'guessed',
      scratchDirectory: paths.scratchDirectory,
      hold: async (layerIndex) => {
        const set = reader.unpackedSet?.(layers[layerIndex].source) ?? null;
        if (set !== null) await scratch.hold(set);
      },
    });
    return this.#dividing;
  }

  /** The conversion reads only an excerpt of the input. */
  declineExcerpt(): void {
    this.#setting.division?.decline?.('only a part of the input is read');
  }

  async stop(): Promise<void> {
    await this.#dividing?.stop();
    await this.#executor?.stop();
  }

  /** Features only go from one binary format to another, and at most to another CRS, in new threads. */
  get #copiesBinary(): boolean {
    const { paths, codecs, steps, threads } = this.#setting;
    const { format } = codecs.output;
    const { looseExtension } = format;
    const isArchive = looseExtension !== undefined && !paths.outputPath.endsWith(looseExtension);
    return (
      threads === newThreads &&
      workOf(steps) === 'none' &&
      format.isBinary === true &&
      !isArchive &&
      codecs.input.files.every((file) => file.format.isBinary === true)
    );
  }
}

/** An output that is written in parts has one layer, so these are all passes of the conversion. */
function passCount({ infersSchema, statisticsDepth }: ConversionPlan): number {
  return (infersSchema ? 1 : 0) + (statisticsDepth === null ? 0 : 1) + 1;
}

function workOf(steps: readonly LoadedStep[]): Parameters<typeof cuttingFor>[0] {
  if (steps.some(({ code }) => code.kind === 'collecting')) return 'collecting';
  return steps.some(({ code }) => code.kind !== 'reprojecting') ? 'streaming' : 'none';
}
