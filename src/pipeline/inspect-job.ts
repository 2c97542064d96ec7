/**
 * An inspection as a job: what the input holds and, where an output is wanted, what a conversion to it would change or
 * lose. Delivers one JSON document.
 *
 * What would be lost is found by doing it: the conversion runs into the scratch directory and its output is thrown away.
 * Refused: telling it from the schemas, which do not know of the one value that is too long or the one ring that is open.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { GeomillError } from '../errors.ts';
import { outputFormatById } from '../formats/registry.ts';
import { inspectSource } from './inspect.ts';
import { type DryRun, inspectionDocument } from './inspect-document.ts';
import type { InspectionReport, Progress } from './report.ts';
import type { ConversionPaths, ConversionRequest, InspectionRequest } from './request.ts';
import { type ConversionControl, runConversion } from './run.ts';

/** Carries out `request` on the one file of `paths`; rejects with a GeomillError, and then there is no output. */
export async function runInspection(
  request: InspectionRequest,
  paths: ConversionPaths,
  control: ConversionControl,
): Promise<InspectionReport> {
  const startedAt = performance.now();
  const { output } = request;
  const share = output === null ? 1 : 0.3;
  const found = await inspectSource(request.input, paths, {
    ...control,
    onProgress: (progress) => control.onProgress(part(progress, 0, share)),
  });
  const dryRun =
    output === null
      ? null
      : await performDryRun({ ...request, operation: 'transform', output }, paths, {
          ...control,
          onProgress: (progress) => control.onProgress(part(progress, share, 1 - share)),
        });
  writeFileSync(paths.outputPath, `${JSON.stringify(inspectionDocument(found, dryRun))}\n`, { flag: 'wx' });
  return { warnings: found.warnings, timings: { totalMs: Math.round(performance.now() - startedAt) } };
}

function part({ fraction, stage }: Progress, offset: number, share: number): Progress {
  return { fraction: offset + fraction * share, stage };
}

/** What the conversion tells, or why it is not possible. A fault of ours is one here, too. */
async function performDryRun(
  request: ConversionRequest,
  paths: ConversionPaths,
  control: ConversionControl,
): Promise<DryRun> {
  const format = outputFormatById(request.output.format, 'output.format');
  const directory = join(paths.scratchDirectory, 'dry-run');
  const scratchDirectory = join(directory, 'scratch');
  mkdirSync(scratchDirectory, { recursive: true });
  // Layers and zip members are named by it.
  const stem = basename(paths.outputPath).replace(/(\.[A-Za-z0-9]{1,10})+$/, '') || 'output';
  const outputPath = join(directory, stem + format.outputExtension);
  try {
    return { report: await runConversion(request, { ...paths, outputPath, scratchDirectory }, control) };
  } catch (error) {
    if (!(error instanceof GeomillError) || error.fault === 'ours' || error.code === 'CANCELLED') throw error;
    return { format: format.id, error };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
