/** Builds the report of a conversion from its counts. */

import { shortDefinition } from '@geomill/core/crs/crs.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import {
  type FailOn,
  type Finding,
  type Findings,
  type FoundFinding,
  plainFinding,
  severities,
  severityCounts,
} from '@geomill/core/messages/findings.ts';
import { counted, field } from '@geomill/core/messages/message.ts';
import { shortText } from '@geomill/core/messages/short-text.ts';
import type { OutputFile } from '@geomill/formats/writer.ts';
import { layersOf } from '@geomill/operations/parts/step-layers.ts';
import type { OperationDescription } from '@geomill/proj/operation-description.ts';
import { MAX_STEP_CRS } from './bounded-report.ts';
import type { LoadedStep, ReprojectionLink } from './conversion-plan.ts';
import { pipelineErrors } from './errors.ts';
import { pipelineFindings } from './findings.ts';
import { shareText } from './range-tally.ts';
import type {
  ConversionReport,
  LayerReport,
  ReprojectionReport,
  StepReport,
  WrittenLayerReport,
} from './report.ts';
import type { ConversionRequest } from './request.ts';
import type { LayerTally, ReprojectionTally, SourceTally } from './tally.ts';

export interface ReportLayer {
  readonly tally: LayerTally;
  readonly sources: readonly ReportSource[];
}

export interface ReportSource {
  readonly tally: SourceTally;
  /** Default: all features were read. */
  readonly featureTotal?: number | null;
  readonly encoding: string | null;
  readonly crsName: string;
  readonly isTable: boolean;
}

/** The reprojections of all layers; notes what the user should know about them. */
export function reportReprojections(
  layers: readonly LayerTally[],
  /** The operation of a reprojection in the middle of the area of use. */
  operation: (link: ReprojectionLink) => OperationDescription,
  findings: Findings,
): readonly ReprojectionReport[] {
  return layers.flatMap(({ plan, reprojections }) =>
    reprojections.map((counts) => reprojectionReport(plan.name, counts, operation, findings)),
  );
}

/** Throws FINDINGS_REFUSED if findings have this severity or a worse one. */
export function refuseFindings(findings: readonly FoundFinding[], failOn: FailOn): void {
  const least = severities.indexOf(failOn);
  const refused = findings.filter(({ entry }) => severities.indexOf(entry.severity) >= least);
  if (refused.length === 0) return;
  const named = refused.slice(0, 5).map(({ entry, code, message, count }) => {
    const quantity = count === 1 ? '' : `, ${counted(count, entry.unit)}`;
    return `${shortText(message, 300)} (${code}${quantity})`;
  });
  const others = refused.length - named.length;
  throw failure(pipelineErrors.FINDINGS_REFUSED, {
    findings: refused.length,
    path: field('fail_on'),
    severity: failOn,
    found: named.join('; ') + (others === 0 ? '' : `; and ${others} more`),
  });
}

export function buildReport(parts: {
  readonly request: ConversionRequest;
  /** Names of the input files. */
  readonly fileNames: readonly string[];
  readonly layers: readonly ReportLayer[];
  readonly reprojections: readonly ReprojectionReport[];
  readonly steps: readonly LoadedStep[];
  readonly output: Required<OutputFile>;
  readonly outputCrs: string;
  /** Of a split output; null: the output has the layers of the plan. */
  readonly writtenParts: readonly WrittenLayerReport[] | null;
  readonly findings: Findings;
  readonly totalMs: number;
}): ConversionReport {
  const { request, layers, findings, fileNames } = parts;
  const warnings = findings.noted();
  const sources = layers.flatMap((layer) => layer.sources);
  const files = fileNames.map((_, i) => sources.filter(({ tally }) => tally.facts.plan.fileIndex === i));
  const effect = (wanted: string): number =>
    total(
      warnings.filter(({ entry }) => entry.effect === wanted),
      ({ count }) => count,
    );
  const read = featuresOf(sources);
  const steps = stepReports(
    parts.steps,
    layers.map(({ tally }) => tally),
    read,
  );
  const undrawn = total(layers, ({ tally }) => tally.rowsUndrawn);
  const noted = total(layers, ({ tally }) =>
    total([...tally.steps.values()], ({ dropped }) => total([...dropped.values()], (count) => count)),
  );
  return {
    input: {
      format: request.input.statedFormat ?? request.input.format,
      name: fileNames[0],
      files: fileNames.map((name, i) => ({ name, features: featuresOf(files[i]) })),
      layers: sources.map((source) => layerReport(source, fileNames)),
    },
    output: {
      format: request.output.format,
      crs: shortDefinition(parts.outputCrs),
      mediaType: parts.output.mediaType,
      byteLength: parts.output.byteLength,
      layers:
        parts.writtenParts ??
        layers.map(({ tally }) => ({
          name: tally.plan.name,
          features: tally.rowsWritten - tally.rowsUndrawn,
        })),
    },
    features: {
      skipped: effect('dropped') - noted - undrawn,
      read,
      ...(request.operation === 'append' ? { appended: read - featuresOf(files[0]) } : {}),
      written: total(layers, ({ tally }) => tally.rowsWritten) - undrawn,
      dropped: undrawn + total(steps, ({ dropped }) => total(dropped, ({ features }) => features)),
      merged: total(steps, ({ merged }) => merged),
      generated: total(steps, ({ generated }) => generated),
      repaired: effect('repaired'),
      split: effect('split'),
    },
    steps,
    fields: {
      renamed: [
        ...paramsOf(warnings, 'FIELD_RENAMED', ({ layer, from, to }) => ({ layer, from, to })),
        ...paramsOf(warnings, 'FIELD_MATCHED', ({ layer, from, to }) => ({ layer, from, to })),
      ],
      retyped: paramsOf(warnings, 'FIELD_RETYPED', ({ layer, field, from, to }) => ({
        layer,
        field,
        from,
        to,
      })),
      dropped: [
        ...paramsOf(warnings, 'FIELD_DROPPED', ({ layer, field, reason }) => ({ layer, field, reason })),
        ...paramsOf(warnings, 'FIELD_NOT_APPENDED', ({ layer, field, files: names }) => {
          return { layer, field, reason: `${names}: the target has no such field` };
        }),
      ],
    },
    reprojections: parts.reprojections,
    warnings: warnings.map(plainFinding),
    severities: severityCounts(warnings.map(({ entry }) => entry)),
    timings: { totalMs: Math.round(parts.totalMs) },
  };
}

function stepReports(
  steps: readonly LoadedStep[],
  layers: readonly LayerTally[],
  featuresRead: number,
): StepReport[] {
  let current = featuresRead;
  return steps.map(({ type, code, params }, number) => {
    if (code.kind === 'reprojecting') {
      const crs = [shortText(shortDefinition(code.targetCrs(params)))];
      const unchanged = { featuresIn: current, featuresOut: current, dropped: [], merged: 0, generated: 0 };
      return { type, crs, ...unchanged, seconds: 0 };
    }
    const tallies = layers.flatMap((layer) => layer.steps.get(number) ?? []);
    const dropped = new Map<string, number>();
    for (const tally of tallies)
      for (const [reason, count] of tally.dropped) dropped.set(reason, (dropped.get(reason) ?? 0) + count);
    const missing = total(tallies, (tally) => tally.missing);
    const merges = code.kind === 'collecting' || (code.kind === 'serial' && code.merges === true);
    if (!merges && missing > 0) dropped.set('FILTERED', missing);
    // A step on some layers alone neither gets nor gives the features of the others.
    const featuresIn = layersOf({ params }) === null ? current : total(tallies, ({ rowsIn }) => rowsIn);
    const featuresOut = total(tallies, ({ rowsOut }) => rowsOut);
    current += featuresOut - featuresIn;
    return {
      type,
      crs: crsOfStep(number, layers),
      featuresIn,
      featuresOut,
      dropped: [...dropped].map(([reason, features]) => ({ reason, features })),
      merged: merges ? missing : 0,
      generated: total(tallies, ({ generated }) => generated),
      seconds: Number(total(tallies, ({ seconds }) => seconds).toFixed(3)),
    };
  });
}

function crsOfStep(number: number, layers: readonly LayerTally[]): string[] {
  const links = layers.flatMap(({ plan }) => [
    ...plan.routes.flat(),
    ...plan.stages.flatMap(({ links: later, collect }) => (collect === null ? later : [...later, collect])),
  ]);
  const found = links.flatMap((link) => (link.kind === 'step' && link.step === number ? [link.crs] : []));
  return [...new Set(found)].slice(0, MAX_STEP_CRS).map((crs) => shortText(shortDefinition(crs)));
}

function featuresOf(sources: readonly ReportSource[]): number {
  return total(sources, ({ tally }) => tally.rowsRead);
}

function layerReport(
  { tally, featureTotal, encoding, crsName, isTable }: ReportSource,
  fileNames: readonly string[],
): LayerReport {
  const { plan } = tally.facts;
  return {
    name: plan.name,
    file: fileNames[plan.fileIndex],
    features: tally.rowsRead,
    ...(featureTotal === undefined ? {} : { featureTotal }),
    crs: plan.crs,
    crsName: isTable ? 'no geometry' : crsName,
    encoding,
    fields: tally.fields,
  };
}

function reprojectionReport(
  layer: string,
  counts: ReprojectionTally,
  operationOf: (link: ReprojectionLink) => OperationDescription,
  findings: Findings,
): ReprojectionReport {
  const operation = counts.operation ?? operationOf(counts.link);
  const from = shortDefinition(counts.link.from);
  const to = shortDefinition(counts.link.to);
  const accuracy = operation.accuracyMeters === null ? 'unknown' : `${operation.accuracyMeters} m`;
  if (operation.ballpark) findings.note(pipelineFindings.BALLPARK_TRANSFORMATION, { from, to });
  for (const grid of operation.gridsMissing)
    findings.note(pipelineFindings.GRID_MISSING, { from, to, grid, accuracy });
  const { rows, outside } = counts;
  for (const [crs, count] of [
    [from, outside.source],
    [to, outside.target],
  ] as const)
    if (count > 0)
      findings.note(
        pipelineFindings.OUTSIDE_AREA_OF_USE,
        { crs, share: shareText(count, rows) },
        { layer },
        count,
      );
  return {
    layer,
    from,
    to,
    operation: operation.name,
    accuracyMeters: operation.accuracyMeters,
    ballpark: operation.ballpark,
    gridsUsed: operation.gridsUsed,
    gridsMissing: operation.gridsMissing,
    outsideAreaOfUse: counts.outsideAreaShare,
    ...(counts.approximated.positions === 0 ? {} : { approximated: counts.approximated }),
  };
}

function total<Entry>(entries: readonly Entry[], count: (entry: Entry) => number): number {
  return entries.reduce((sum, entry) => sum + count(entry), 0);
}

function paramsOf<Row extends Record<string, string>>(
  warnings: readonly Finding[],
  code: Finding['code'],
  pick: (params: Record<string, string>) => Row,
): Row[] {
  return warnings
    .filter((warning) => warning.code === code)
    .map(({ params }) =>
      pick(Object.fromEntries(Object.entries(params).map(([key, value]) => [key, String(value)]))),
    );
}
