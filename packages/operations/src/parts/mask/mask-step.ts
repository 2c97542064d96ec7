/**
 * Shared code of clip and erase: each feature is inside the mask, outside, or on its border. A raster of the mask
 * decides most features by their bounds, prepared predicates decide others, and only cut features need an overlay.
 */
import { copyRows } from '@geomill/core/columns/copy-rows.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { type Bounds, positionBounds } from '@geomill/core/geometry/bounds.ts';
import { GeometryBuilder, type GeometryColumn } from '@geomill/core/geometry/geometry-column.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { field } from '@geomill/core/messages/message.ts';
import { Geos } from '@geomill/geos/geos.ts';
import { stepFindings } from '../../findings.ts';
import type { ApplyStep, StepSetting, StreamingTransformation } from '../../transformation.ts';
import { emptyBounds, growByRow } from '../row-bounds.ts';
import { withRows } from '../take-rows.ts';
import { CUT, Cutter } from './cutter.ts';
import { Mask, type MaskOperation } from './mask.ts';
import { PLACE } from './mask-grid.ts';
import { projectMask, withTurns } from './project-mask.ts';

/** Decision for a row. */
const DROP = 0;
const KEEP = 1;
const WORK = 2;

/** A step is not notified of its end: the memory of GEOS is freed when the step is garbage collected. */
const abandoned = new FinalizationRegistry<MaskStep>((step) => step[Symbol.dispose]());

/** `parameter` is the name of the parameter that holds the mask. */
export function maskStep(operation: MaskOperation, parameter: string): StreamingTransformation {
  return {
    kind: 'streaming',
    async prepare(parameters, setting): Promise<ApplyStep> {
      const path = `${setting.path}.${setting.file === undefined ? parameter : 'mask'}`;
      const mask = parameters[parameter] as GeometryColumn;
      const step = new MaskStep(operation, await Geos.load(), mask, setting, path);
      const apply: ApplyStep = (batch, findings) => step.apply(batch, findings);
      abandoned.register(apply, step);
      return apply;
    },
  };
}

class MaskStep {
  readonly #operation: MaskOperation;
  readonly #geos: Geos;
  readonly #setting: StepSetting;
  readonly #path: string;
  readonly #mask: Mask;
  /** The mask with copies one turn away, created for data beyond 180 degrees. */
  #turningMask: Mask | null = null;
  #repairReason: string | null;
  #marginDegrees: number | null;

  constructor(
    operation: MaskOperation,
    geos: Geos,
    mask: GeometryColumn,
    setting: StepSetting,
    path: string,
  ) {
    this.#operation = operation;
    this.#geos = geos;
    this.#setting = setting;
    this.#path = path;
    const projected = projectMask(geos, mask, setting, path);
    this.#mask = new Mask(geos, projected.geometry, setting.crs);
    this.#repairReason = projected.repairReason;
    this.#marginDegrees = projected.marginDegrees;
  }

  [Symbol.dispose](): void {
    this.#mask[Symbol.dispose]();
    this.#turningMask?.[Symbol.dispose]();
  }

  /** Notes FEATURES_OUTSIDE or FEATURES_ERASED, SLIVERS_DROPPED, GEOMETRY_REPAIRED, Z_INTERPOLATED, M_DROPPED, MASK_REPAIRED, MASK_CUT. */
  apply(batch: FeatureBatch, findings: Findings): FeatureBatch {
    this.#noteMask(findings);
    const { geometry, rowCount } = batch;
    const mask = this.#maskFor(geometry);
    const decisions = new Uint8Array(rowCount);
    const counts = decide(decisions, geometry, mask, this.#operation);
    if (counts[KEEP] === rowCount) return batch;
    const dropped = new RowTally();
    const cutter = new Cutter(this.#operation, this.#geos, mask);
    const builder = new GeometryBuilder(geometry.dimensions, rowCount - counts[DROP], 1024);
    builder.reserve(counts[WORK] + counts[KEEP] > rowCount / 2 ? geometry.coordinates.length : 0);
    const kept = new Uint32Array(rowCount);
    let keptCount = 0;
    for (let row = 0; row < rowCount; row++) {
      let isKept = decisions[row] === KEEP;
      if (isKept) copyRows(builder, geometry, row, row + 1);
      else if (decisions[row] === WORK) isKept = cutter.cut(geometry, row, builder) !== CUT.nothing;
      if (isKept) kept[keptCount++] = row;
      else dropped.add(row);
    }
    findings.noteTally(
      this.#operation === 'clip' ? stepFindings.FEATURES_OUTSIDE : stepFindings.FEATURES_ERASED,
      {},
      dropped,
    );
    cutter.note(findings);
    return withRows(batch, kept.slice(0, keptCount), builder.finish());
  }

  #maskFor(geometry: GeometryColumn): Mask {
    const { crs } = this.#setting;
    if (crs.kind !== 'geographic') return this.#mask;
    const [west, , east] = positionBounds(geometry);
    const half = Math.PI / crs.unitFactor;
    if (west >= -half && east <= half) return this.#mask;
    this.#turningMask ??= new Mask(this.#geos, withTurns(this.#geos, this.#mask.geometry, 2 * half), crs);
    return this.#turningMask;
  }

  /** Once: it concerns the mask, not a feature. */
  #noteMask(findings: Findings): void {
    const reason = this.#repairReason;
    if (reason !== null) findings.note(stepFindings.MASK_REPAIRED, { path: field(this.#path), reason });
    const degrees = this.#marginDegrees;
    const crs = this.#setting.crs.name;
    if (degrees !== null) findings.note(stepFindings.MASK_CUT, { path: field(this.#path), crs, degrees });
    this.#repairReason = null;
    this.#marginDegrees = null;
  }
}

/** Sets the decision for each row; returns the number of rows per decision. */
function decide(
  decisions: Uint8Array,
  geometry: GeometryColumn,
  { grid }: Mask,
  operation: MaskOperation,
): readonly number[] {
  const { partOffsets } = geometry;
  const counts = [0, 0, 0];
  const onInside = operation === 'clip' ? KEEP : DROP;
  const onOutside = operation === 'clip' ? DROP : KEEP;
  const bounds: Bounds = emptyBounds();
  for (let row = 0; row < decisions.length; row++) {
    let decision = KEEP;
    if (partOffsets[row] !== partOffsets[row + 1]) {
      bounds[0] = Number.POSITIVE_INFINITY;
      bounds[1] = Number.POSITIVE_INFINITY;
      bounds[2] = Number.NEGATIVE_INFINITY;
      bounds[3] = Number.NEGATIVE_INFINITY;
      growByRow(bounds, geometry, row);
      const place = grid.placeOfBounds(bounds[0], bounds[1], bounds[2], bounds[3]);
      decision = place === PLACE.inside ? onInside : place === PLACE.outside ? onOutside : WORK;
    }
    decisions[row] = decision;
    counts[decision]++;
  }
  return counts;
}
