/**
 * Runs a conversion: opens the inputs and makes attempts, most often one, which plan, run partitions through the executor, and write one output file.
 * Memory is bounded by (tasks in flight) x (partition size) plus the batches kept between two passes, whatever the size of the input.
 */
import { Findings } from '@geomill/core/messages/findings.ts';
import { ScratchSpace } from '@geomill/io/scratch-space.ts';
import { transformations } from '@geomill/operations/registry.ts';
import { splitSteps } from '@geomill/operations/split_by/record.ts';
import type { Transformation } from '@geomill/operations/transformation.ts';
import { joinedPath } from '@geomill/platform/paths.ts';
import { AttemptInputs } from './attempt-inputs.ts';
import { type ConversionSetting, runAttempt } from './attempt-run.ts';
import { type Attempt, attemptAfter, firstAttempt } from './attempts.ts';
import { BatchSpool } from './batch-spool.ts';
import { loadSteps } from './chain.ts';
import { loadCodecs } from './codecs.ts';
import type { ConversionControl } from './conversion-control.ts';
import { ConversionExecutors } from './conversion-executors.ts';
import { CrsService } from './crs-service.ts';
import { ExistingTarget } from './existing-target.ts';
import { GeometrySpool } from './geometry-spool.ts';
import { GEOMETRY_BYTES } from './layer-context.ts';
import { withoutGzip, withTextPosition } from './open-inputs.ts';
import { throwIfAborted } from './partition-run.ts';
import type { ConversionReport, Progress } from './report.ts';
import type { ConversionPaths, ConversionRequest } from './request.ts';
import { restoredInputs } from './sidecar/find-sidecar.ts';
import { newThreads } from './threads.ts';

/**
 * Converts `paths.inputs` as requested. Resolves with the report once the output is complete at
 * `paths.outputPath`; rejects with a GeomillError, and then there is no output. Worker threads use the built-in
 * transformations, whatever `registry` is.
 */
export async function runConversion(
  given: ConversionRequest,
  givenPaths: ConversionPaths,
  control: ConversionControl,
  registry: readonly Transformation[] = transformations,
): Promise<ConversionReport> {
  const restored = await restoredInputs(given.input, given.operation, givenPaths, control.signal);
  const request = restored === null ? given : { ...given, input: restored.input };
  const paths = restored === null ? givenPaths : { ...givenPaths, inputs: restored.inputs };
  const conversion = await openConversion(request, paths, control, registry);
  if (restored !== null) conversion.findings.merge(restored.findings.found());
  const { executors, store, geometry, scratch, signal } = conversion;
  let unpacked = paths;
  try {
    conversion.onProgress({ fraction: 0, stage: 'opening' });
    unpacked = { ...paths, inputs: await withoutGzip(paths, scratch, signal) };
    const target = new ExistingTarget(request, unpacked);
    return await runAttempts({ ...conversion, paths: unpacked, target });
  } catch (error) {
    throw withTextPosition(error, unpacked.inputs);
  } finally {
    await executors.stop();
    store.discard();
    geometry.discard();
  }
}

/** Loads what the conversion needs, before the inputs are opened. */
async function openConversion(
  request: ConversionRequest,
  paths: ConversionPaths,
  control: ConversionControl,
  registry: readonly Transformation[],
): Promise<Omit<ConversionSetting, 'target'>> {
  const startedAt = performance.now();
  const { signal, threads = newThreads, division, crsMemory } = control;
  const crs = new CrsService(paths.gridDirectory);
  const findings = new Findings();
  const scratch = new ScratchSpace();
  const { split } = request.output;
  const reading = { paths, crs, findings, scratch, signal, threads };
  const [codecs, steps] = await Promise.all([
    loadCodecs(request),
    loadSteps(
      [...request.transformations, ...(split === undefined ? [] : splitSteps(split.field))],
      registry,
      paths.stepInputs,
      async (features, file, index, collector) => {
        const { readStepFile } = await import('./step-files.ts');
        return readStepFile(features, file, index, collector, reading);
      },
    ),
  ]);
  return {
    request,
    paths,
    codecs,
    steps,
    crs: new CrsService(paths.gridDirectory, crsMemory),
    outputName: baseName(paths.outputPath),
    executors: new ConversionExecutors({
      request,
      paths,
      codecs,
      steps,
      registry,
      threads,
      division,
      scratch,
    }),
    scratch,
    signal,
    findings,
    store: new BatchSpool(joinedPath(paths.scratchDirectory, 'features')),
    geometry: new GeometrySpool(joinedPath(paths.scratchDirectory, 'coordinates'), GEOMETRY_BYTES),
    startedAt,
    onProgress: steadyProgress(control),
    onFiles: control.onFiles?.bind(control),
  };
}

/** Makes one attempt after another, until one succeeds or fails for a reason that no other attempt changes. */
async function runAttempts(conversion: ConversionSetting): Promise<ConversionReport> {
  const { executors, signal } = conversion;
  const inputs = await AttemptInputs.open(conversion);
  const stop = (): void => void executors.current?.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    throwIfAborted(signal);
    let attempt: Attempt = firstAttempt(inputs.excerpts);
    for (;;) {
      let isPartial = attempt.reads !== 'whole';
      try {
        const read = await inputs.of(attempt);
        ({ isPartial } = read);
        const isDivided = inputs.excerpts === null;
        return await runAttempt(conversion, read, { misfits: attempt.misfits, isDivided });
      } catch (error) {
        const next = attemptAfter(attempt, error, isPartial);
        if (next === null) throw error;
        // An excerpt may be too small for threads.
        if (next.reads !== attempt.reads) executors.forgetSerial();
        attempt = next;
      }
    }
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The progress of a conversion that restarts goes on where it was. */
function steadyProgress(control: ConversionControl): (progress: Progress) => void {
  let largest = 0;
  return ({ fraction, stage }) => {
    largest = Math.max(largest, fraction);
    control.onProgress({ fraction: largest, stage });
  };
}

function baseName(path: string): string {
  const file = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return file.replace(/(\.[A-Za-z0-9]{1,10})+$/, '') || file;
}
