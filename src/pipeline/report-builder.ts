/** Adds up what the tasks of a conversion say into the report. */
import { type Field, type MixedType, type OpenType, widenType } from '../batch/schema.ts';
import { epsgCode } from '../crs/crs.ts';
import { combineOperations, type OperationDescription } from '../engines/proj/operation-description.ts';
import { failure } from '../errors.ts';
import { type Finding, type Findings, findingCatalogue } from '../findings.ts';
import type { OutputFile } from '../formats/format.ts';
import { locatePlace, type PartitionBase } from './partition-run.ts';
import { shortDefinition } from './perform.ts';
import type { LayerPlan } from './plan.ts';
import type { ConversionReport, LayerReport, ReprojectionReport } from './report.ts';
import type { ConversionRequest } from './request.ts';
import type { TaskResult } from './task.ts';

/** Counts of one layer. */
export class LayerTally {
  readonly plan: LayerPlan;
  readonly #mixed: MixedType;
  readonly #types = new Map<string, OpenType>();
  rowsRead = 0;
  rowsWritten = 0;
  #positions = 0;
  #outsideArea = 0;
  readonly #operations = new Map<string, OperationDescription>();
  #outOfRange = 0;
  #firstOutOfRange: { record: number; x: number; y: number } | null = null;

  constructor(plan: LayerPlan, mixed: MixedType) {
    this.plan = plan;
    this.#mixed = mixed;
  }

  /** A partition's first (or only) reading. */
  read(result: TaskResult, base: PartitionBase, findings: Findings): void {
    this.rowsRead += result.rowCount;
    for (const { name, type } of result.fields) {
      this.#types.set(name, widenType(this.#types.get(name) ?? 'null', type, this.#mixed) as OpenType);
    }
    const { positions } = result;
    this.#positions += positions.total;
    this.#outsideArea += positions.outsideArea;
    for (const operation of positions.operations) this.#operations.set(JSON.stringify(operation), operation);
    this.#outOfRange += positions.outOfRange;
    const first = positions.firstOutOfRange;
    if (first !== null) this.#firstOutOfRange ??= { ...first, record: first.record + base.rows };
    for (const { code, params } of result.readFindings) {
      if (code === 'SRID_STATED') this.#checkSrid(Number(params.srid));
    }
    findings.merge(result.readFindings, (place) => locatePlace(place, base, this.plan.name));
  }

  /** EWKT rows that say another CRS than the request: one of the two is wrong, and guessing would move the data. */
  #checkSrid(srid: number): void {
    const expected = epsgCode(this.plan.sourceCrs);
    if (srid === 0 || expected === null || expected === srid) return;
    throw failure('CRS_CONFLICT', {
      stated: this.plan.sourceCrs,
      source: `layer '${this.plan.name}'`,
      found: `SRID ${srid}`,
    });
  }

  wrote(rowCount: number): void {
    this.rowsWritten += rowCount;
  }

  get fields(): Field[] {
    return [...this.#types].map(([name, type]) => ({ name, type: type === 'null' ? 'string' : type }));
  }

  get outsideAreaShare(): number {
    return this.#positions === 0 ? 0 : this.#outsideArea / this.#positions;
  }

  /** The operations that the data went through; null when there were no positions. */
  get operation(): OperationDescription | null {
    return this.#operations.size === 0 ? null : combineOperations([...this.#operations.values()]);
  }

  get outsideAreaCount(): number {
    return this.#outsideArea;
  }

  /**
   * Positions no longitude and latitude can have: an error when the file itself said that it is in another CRS,
   * else told. Known only now because GeoJSON may state its crs behind the features.
   */
  checkRange(findings: Findings, crsIsAssumed: boolean): void {
    const first = this.#firstOutOfRange;
    if (first === null) return;
    const place = { layer: this.plan.name, record: first.record };
    if (crsIsAssumed && findings.list().some((finding) => finding.code === 'CRS_MEMBER_IGNORED')) {
      throw failure(
        'COORDINATE_OUT_OF_RANGE',
        { place: `feature ${first.record}`, x: first.x, y: first.y },
        place,
      );
    }
    findings.note('COORDINATES_OUT_OF_RANGE', {}, place, this.#outOfRange);
  }
}

export interface ReportLayer {
  readonly tally: LayerTally;
  readonly encoding: string | null;
  readonly crsName: string;
  readonly operation: OperationDescription | null;
}

export function buildReport(parts: {
  readonly request: ConversionRequest;
  readonly inputName: string;
  readonly layers: readonly ReportLayer[];
  readonly output: OutputFile;
  readonly outputCrs: string;
  readonly findings: Findings;
  readonly totalMs: number;
}): ConversionReport {
  const { request, layers, findings } = parts;
  const reprojections = layers.flatMap((layer) => reprojectionOf(layer, findings));
  // A CRS that the requester stated overrides the member knowingly.
  const told = request.input.crs === null ? 'none' : 'CRS_MEMBER_IGNORED';
  const warnings = findings.list().filter(({ code }) => code !== told);
  const effect = (wanted: string): number =>
    sum(warnings.filter(({ code }) => findingCatalogue[code].effect === wanted));
  return {
    input: { format: request.input.format, name: parts.inputName, layers: layers.map(layerReport) },
    output: {
      format: request.output.format,
      crs: shortDefinition(parts.outputCrs),
      mediaType: parts.output.mediaType,
      byteLength: parts.output.byteLength,
    },
    features: {
      read: layers.reduce((total, { tally }) => total + tally.rowsRead, 0),
      written: layers.reduce((total, { tally }) => total + tally.rowsWritten, 0),
      dropped: effect('dropped'),
      repaired: effect('repaired'),
      split: effect('split'),
    },
    fields: {
      renamed: paramsOf(warnings, 'FIELD_RENAMED', ({ layer, from, to }) => ({ layer, from, to })),
      retyped: paramsOf(warnings, 'FIELD_RETYPED', ({ layer, field, from, to }) => ({
        layer,
        field,
        from,
        to,
      })),
      dropped: paramsOf(warnings, 'FIELD_DROPPED', ({ layer, field, reason }) => ({ layer, field, reason })),
    },
    reprojections,
    warnings,
    timings: { totalMs: Math.round(parts.totalMs) },
  };
}

function layerReport({ tally, encoding, crsName }: ReportLayer): LayerReport {
  return {
    name: tally.plan.name,
    features: tally.rowsRead,
    crs: tally.plan.sourceCrs,
    crsName,
    encoding,
    fields: tally.fields,
  };
}

function reprojectionOf(
  { tally, operation: expected }: ReportLayer,
  findings: Findings,
): ReprojectionReport[] {
  if (expected === null) return [];
  const operation = tally.operation ?? expected;
  const from = shortDefinition(tally.plan.sourceCrs);
  const to = shortDefinition(tally.plan.targetCrs);
  const accuracy = operation.accuracyMeters === null ? 'unknown' : `${operation.accuracyMeters} m`;
  if (operation.ballpark) findings.note('BALLPARK_TRANSFORMATION', { from, to });
  for (const grid of operation.gridsMissing) findings.note('GRID_MISSING', { from, to, grid, accuracy });
  if (tally.outsideAreaCount > 0) {
    findings.note(
      'OUTSIDE_AREA_OF_USE',
      { crs: `${from} or ${to}` },
      { layer: tally.plan.name },
      tally.outsideAreaCount,
    );
  }
  return [
    {
      layer: tally.plan.name,
      from,
      to,
      operation: operation.name,
      accuracyMeters: operation.accuracyMeters,
      ballpark: operation.ballpark,
      gridsUsed: operation.gridsUsed,
      gridsMissing: operation.gridsMissing,
      outsideAreaOfUse: tally.outsideAreaShare,
    },
  ];
}

function sum(findings: readonly Finding[]): number {
  return findings.reduce((total, { count }) => total + count, 0);
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
