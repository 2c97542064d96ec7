/**
 * An inspection as a job: describes the input and, if an output is requested, what a conversion to it would change or
 * lose. The result is one JSON document.
 *
 * Losses are found by a dry run: the conversion writes to the scratch directory, and its output is deleted.
 * Alternative rejected: deriving them from the schemas, which do not show a single long value or open ring.
 */

import { GeomillError } from '@geomill/core/messages/errors.ts';
import { severitiesOf } from '@geomill/core/messages/findings.ts';
import { outputFormatById } from '@geomill/formats/format-by-id.ts';
import { makeDirectory, removeDirectory, writeNewFile } from '@geomill/platform/files.ts';
import { fileName, joinedPath } from '@geomill/platform/paths.ts';
import { pipelineCatalogue } from './catalogue.ts';
import type { ConversionControl } from './conversion-control.ts';
import { inspectSource } from './inspect.ts';
import { inspectionDocument } from './inspect-document.ts';
import type { DryRun, Inspection } from './inspection.ts';
import type { InspectionReport, Progress } from './report.ts';
import type { ConversionPaths, ConversionRequest, InspectionRequest } from './request.ts';
import { runConversion } from './run.ts';
import { deliveredKind } from './split-request.ts';

/** What an inspection found. */
export interface FoundInspection {
  readonly found: Inspection;
  /** Null: the request has no output. */
  readonly dryRun: DryRun | null;
}

/** Inspects the one file of `paths`, without an output. Rejects with a GeomillError. */
export async function inspectInput(
  request: InspectionRequest,
  paths: ConversionPaths,
  control: ConversionControl,
): Promise<FoundInspection> {
  const { output } = request;
  const share = output === null || request.textOnly === true ? 1 : 0.3;
  const { input, textOnly } = request;
  const found = await inspectSource({ ...input, textOnly }, paths, {
    ...control,
    onProgress: (progress) => control.onProgress(part(progress, 0, share)),
  });
  const dryRun =
    output === null || textOnly === true
      ? null
      : await performDryRun({ ...request, operation: 'transform', output }, paths, {
          ...control,
          onProgress: (progress) => control.onProgress(part(progress, share, 1 - share)),
        });
  return { found, dryRun };
}

/** Carries out `request` on the one file of `paths`; rejects with a GeomillError, and then there is no output. */
export async function runInspection(
  request: InspectionRequest,
  paths: ConversionPaths,
  control: ConversionControl,
): Promise<InspectionReport> {
  const startedAt = performance.now();
  const { found, dryRun } = await inspectInput(request, paths, control);
  writeNewFile(paths.outputPath, `${JSON.stringify(inspectionDocument(found, dryRun, pipelineCatalogue))}\n`);
  return {
    warnings: found.warnings,
    severities: severitiesOf(found, pipelineCatalogue),
    timings: { totalMs: Math.round(performance.now() - startedAt) },
  };
}

function part({ fraction, stage }: Progress, offset: number, share: number): Progress {
  return { fraction: offset + fraction * share, stage };
}

/** The report of the conversion, or the user's error that prevents it. Rejects with internal errors. */
async function performDryRun(
  request: ConversionRequest,
  paths: ConversionPaths,
  control: ConversionControl,
): Promise<DryRun> {
  const format = outputFormatById(request.output.format, 'output.format');
  const directory = joinedPath(paths.scratchDirectory, 'dry-run');
  const scratchDirectory = joinedPath(directory, 'scratch');
  makeDirectory(scratchDirectory);
  // Layers and zip members are named after it.
  const stem = fileName(paths.outputPath).replace(/(\.[A-Za-z0-9]{1,10})+$/, '') || 'output';
  const outputPath = joinedPath(directory, stem + deliveredKind(format, request.output).outputExtension);
  try {
    const report = await runConversion(request, { ...paths, outputPath, scratchDirectory }, control);
    return { report, request };
  } catch (error) {
    if (!(error instanceof GeomillError) || error.fault === 'ours' || error.code === 'CANCELLED') throw error;
    return { format: format.id, error };
  } finally {
    removeDirectory(directory);
  }
}
