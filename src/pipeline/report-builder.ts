/** Adds up what the tasks of a conversion say into the report. */
import { type Field, type MixedType, type OpenType, widenType } from '../batch/schema.ts';
import { epsgCode } from '../crs/crs.ts';
import { combineOperations, type OperationDescription } from '../engines/proj/operation-description.ts';
import { failure } from '../errors.ts';
import { type Finding, type Findings, findingCatalogue } from '../findings.ts';
import type { OutputFile } from '../formats/format.ts';
import { reprojectionsOf } from './chain.ts';
import { locatePlace, type PartitionBase } from './partition-run.ts';
import type { LayerPlan } from './plan.ts';
import { shortDefinition } from './positions.ts';
import type { ConversionReport, LayerReport, ReprojectionReport } from './report.ts';
import type { ConversionRequest } from './request.ts';
import type { ReprojectionCounts, TaskResult } from './task.ts';

/** What the positions of a layer went through in one of its reprojections. */
class ReprojectionTally {
  #positions = 0;
  outsideAreaCount = 0;
  readonly #operations = new Map<string, OperationDescription>();

  add({ positions, outsideArea, operations }: ReprojectionCounts): void {
    this.#positions += positions;
    this.outsideAreaCount += outsideArea;
    for (const operation of operations) this.#operations.set(JSON.stringify(operation), operation);
  }

  get outsideAreaShare(): number {
    return this.#positions === 0 ? 0 : this.outsideAreaCount / this.#positions;
  }

  /** The operations that the data went through; null when there were no positions. */
  get operation(): OperationDescription | null {
    return this.#operations.size === 0 ? null : combineOperations([...this.#operations.values()]);
  }
}

/** Counts of one layer. */
export class LayerTally {
  readonly plan: LayerPlan;
  readonly #mixed: MixedType;
  readonly #types = new Map<string, OpenType>();
  rowsRead = 0;
  rowsWritten = 0;
  /** In the order of the chain. */
  readonly reprojections: readonly ReprojectionTally[];
  /** Rows that went into each step so far. */
  readonly #rowsIn = new Map<number, number>();
  #outOfRange = 0;
  #firstOutOfRange: { record: number; x: number; y: number } | null = null;

  constructor(plan: LayerPlan, mixed: MixedType) {
    this.plan = plan;
    this.#mixed = mixed;
    this.reprojections = reprojectionsOf(plan.stages).map(() => new ReprojectionTally());
  }

  /** A partition's first (or only) reading. */
  read(result: TaskResult, base: PartitionBase, findings: Findings): void {
    this.rowsRead += result.rowsRead;
    for (const { name, type } of result.fields) {
      this.#types.set(name, widenType(this.#types.get(name) ?? 'null', type, this.#mixed) as OpenType);
    }
    const { range } = result;
    this.#outOfRange += range.outOfRange;
    const first = range.firstOutOfRange;
    if (first !== null) this.#firstOutOfRange ??= { ...first, record: first.record + base.rows };
    for (const { code, params } of result.readFindings) {
      if (code === 'SRID_STATED') this.#checkSrid(Number(params.srid));
    }
    findings.merge(result.readFindings, (place) => locatePlace(place, base, this.plan.name));
  }

  /** The first time that a batch went through the links of its stage. */
  transformed(result: TaskResult, findings: Findings): void {
    for (const counts of result.reprojections) this.reprojections[counts.number].add(counts);
    for (const { step, rowsIn, findings: found } of result.steps) {
      const rows = this.#rowsIn.get(step) ?? 0;
      this.#rowsIn.set(step, rows + rowsIn);
      // A step counts the features that reach it, which are fewer or more than the records of the source.
      findings.merge(found, (place) => locatePlace(place, { records: rows, lines: 0, rows }, this.plan.name));
    }
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
  /** What each reprojection of the layer's chain would do in the middle of the area of use. */
  readonly operations: readonly OperationDescription[];
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
  const reprojections = layers.flatMap((layer) => reprojectionReports(layer, findings));
  // A CRS that the requester stated overrides the member knowingly.
  const told = request.input.files[0].crs === null ? 'none' : 'CRS_MEMBER_IGNORED';
  const warnings = findings.list().filter(({ code }) => code !== told);
  const effect = (wanted: string): number =>
    sum(warnings.filter(({ code }) => findingCatalogue[code].effect === wanted));
  // The only features that a writer gets and leaves out.
  const undrawn = sum(warnings.filter(({ code }) => code === 'GEOMETRY_NOT_DRAWN'));
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
      written: layers.reduce((total, { tally }) => total + tally.rowsWritten, -undrawn),
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

function reprojectionReports({ tally, operations }: ReportLayer, findings: Findings): ReprojectionReport[] {
  return reprojectionsOf(tally.plan.stages).map((link) => {
    const counts = tally.reprojections[link.number];
    const operation = counts.operation ?? operations[link.number];
    const from = shortDefinition(link.from);
    const to = shortDefinition(link.to);
    const accuracy = operation.accuracyMeters === null ? 'unknown' : `${operation.accuracyMeters} m`;
    if (operation.ballpark) findings.note('BALLPARK_TRANSFORMATION', { from, to });
    for (const grid of operation.gridsMissing) findings.note('GRID_MISSING', { from, to, grid, accuracy });
    if (counts.outsideAreaCount > 0) {
      const place = { layer: tally.plan.name };
      findings.note('OUTSIDE_AREA_OF_USE', { crs: `${from} or ${to}` }, place, counts.outsideAreaCount);
    }
    return {
      layer: tally.plan.name,
      from,
      to,
      operation: operation.name,
      accuracyMeters: operation.accuracyMeters,
      ballpark: operation.ballpark,
      gridsUsed: operation.gridsUsed,
      gridsMissing: operation.gridsMissing,
      outsideAreaOfUse: counts.outsideAreaShare,
    };
  });
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
