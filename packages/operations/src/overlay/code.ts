/** Cuts the features of a batch along the polygons of the source. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { positionBounds } from '@geomill/core/geometry/bounds.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  hasM,
  hasZ,
  PART_KIND,
  PART_KIND_MASK,
} from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { field } from '@geomill/core/messages/message.ts';
import { Geos } from '@geomill/geos/geos.ts';
import { stepFindings } from '../findings.ts';
import { sliverTolerance } from '../parts/sliver-tolerance.ts';
import { type FeatureSource, ROW_FLAG } from '../parts/source/feature-source.ts';
import { featureStep, sourceOf } from '../parts/source/feature-step.ts';
import { drawnWhereDegrees, PlacedSource } from '../parts/source/placed-source.ts';
import { RowPairs } from '../parts/source/row-pairs.ts';
import { namedFields, noteNames } from '../parts/source/source-fields.ts';
import type { StepParameters, StepSetting, StreamingTransformation } from '../transformation.ts';
import { CoveringBuilder, CoveringStore } from './covering.ts';
import { type KeptPieces, PieceCutter } from './piece-cutter.ts';
import { Remains } from './remains.ts';
import { Subtraction } from './subtraction.ts';

type Kept = KeptPieces & {
  /** What no feature covers of the source. */
  readonly remains: boolean;
};

const KEPT: Readonly<Record<string, Kept>> = {
  intersection: { inside: true, outside: false, remains: false },
  identity: { inside: true, outside: true, remains: false },
  union: { inside: true, outside: true, remains: true },
  symmetric_difference: { inside: false, outside: true, remains: true },
};

function keptBy({ how }: StepParameters): Kept {
  return KEPT[how as string];
}

export const code: StreamingTransformation = {
  ...featureStep(
    (parameters) => sourceOf(parameters).table.fields,
    (geos, placed, parameters, setting) => {
      const step = new OverlayStep(geos, placed, parameters, setting);
      return (batch, findings, _rowsBefore, forAddition) => step.apply(batch, findings, forAddition);
    },
    'cut',
  ),
  addition: {
    isWanted: (parameters) => keptBy(parameters).remains,
    async begin(parameters, setting, store) {
      const source = sourceOf(parameters);
      const covering = new CoveringStore(source.table.rowCount, store);
      return new Remains(source, covering, setting);
    },
    async prepare(parameters, setting) {
      const geos = await Geos.load();
      const source = sourceOf(parameters);
      const placed = new PlacedSource(geos, source, setting, 'cut');
      return new Subtraction(geos, placed, source.flags, toleranceOf(placed.geometry, setting)).answer;
    },
  },
};

function toleranceOf(geometry: GeometryColumn, { crs }: StepSetting): ReturnType<typeof sliverTolerance> {
  return sliverTolerance(positionBounds(geometry), crs);
}

class OverlayStep {
  readonly #parameters: StepParameters;
  readonly #setting: StepSetting;
  readonly #source: FeatureSource;
  readonly #kept: Kept;
  readonly #cutter: PieceCutter;
  readonly #toleranceText: string;

  constructor(geos: Geos, placed: PlacedSource, parameters: StepParameters, setting: StepSetting) {
    this.#parameters = parameters;
    this.#setting = setting;
    this.#source = sourceOf(parameters);
    this.#kept = keptBy(parameters);
    const { tolerance, text } = toleranceOf(placed.geometry, setting);
    this.#toleranceText = text;
    this.#cutter = new PieceCutter(geos, placed, tolerance, this.#kept);
  }

  /**
   * Notes OVERLAY_OUTSIDE or OVERLAY_INSIDE, GEOMETRY_DROPPED, SLIVERS_DROPPED, GEOMETRY_REPAIRED, Z_INTERPOLATED, M_DROPPED and
   * SOURCE_FIELD_RENAMED. Throws TRANSFORMATION_INVALID for a collection.
   */
  apply(batch: FeatureBatch, findings: Findings, forAddition?: (data: unknown) => void): FeatureBatch {
    const { geometry, rowCount } = batch;
    const cutter = this.#cutter;
    const column = drawnWhereDegrees(geometry, this.#setting.crs, 'cut');
    const builder = new GeometryBuilder(geometry.dimensions, rowCount, geometry.coordinates.length / 2);
    const pairs = new RowPairs(rowCount, this.#setting);
    const dropped = new RowTally();
    const vanished = new RowTally();
    const slivers = new RowTally();
    const repaired = new RowTally();
    const withoutM = new RowTally();
    const interpolated = new RowTally();
    const { flags, table } = this.#source;
    const covering = this.#kept.remains ? new CoveringBuilder() : null;
    for (let row = 0; row < rowCount; row++) {
      if (column.types[row] === GEOMETRY_TYPE.geometryCollection) throw this.#collection(row);
      const before = pairs.count;
      cutter.cut(column, row, builder, (other) => {
        pairs.add(row, other);
        if (pairs.count % 1024 === 0) this.#setting.checkPositions(builder.positionCount);
      });
      const { covered } = cutter;
      for (const other of covered) flags[other] |= ROW_FLAG.matched;
      if (covered.length > 0 && isPolygon(column, row))
        covering?.add(column, row, cutter.isRepaired, covered);
      if (cutter.hasSlivers) slivers.add(row);
      if (pairs.count === before) {
        (cutter.isVanished ? vanished : dropped).add(row);
        continue;
      }
      if (cutter.isRepaired) repaired.add(row);
      if (cutter.isCut) {
        if (hasM(geometry.dimensions)) withoutM.add(row);
        if (hasZ(geometry.dimensions)) interpolated.add(row);
      }
    }
    if (covering !== null) forAddition?.(covering.finish());
    const operation = 'overlay';
    const entry = this.#kept.inside ? stepFindings.OVERLAY_OUTSIDE : stepFindings.OVERLAY_INSIDE;
    findings.noteTally(entry, { source: table.file }, dropped);
    findings.noteTally(stepFindings.GEOMETRY_DROPPED, { operation }, vanished);
    findings.noteTally(stepFindings.SLIVERS_DROPPED, { operation, tolerance: this.#toleranceText }, slivers);
    findings.noteTally(stepFindings.GEOMETRY_REPAIRED, { operation }, repaired);
    findings.noteTally(stepFindings.Z_INTERPOLATED, { operation }, interpolated);
    findings.noteTally(generalFindings.M_DROPPED, { format: operation }, withoutM);
    const named = namedFields(batch.fields, table.fields, this.#parameters);
    noteNames(table.fields, named, this.#parameters, findings);
    return pairs.featuresOf(batch, [...batch.fields, ...named], table.columns, [], builder.finish());
  }

  #collection(row: number): Error {
    return failure(
      generalErrors.TRANSFORMATION_INVALID,
      {
        path: field(this.#setting.path),
        reason: 'gets a geometry collection, which it cannot cut; add an explode step before it',
      },
      { record: row + 1 },
    );
  }
}

/** Of a row with parts of one kind. */
function isPolygon({ partOffsets, partKinds }: GeometryColumn, row: number): boolean {
  return (partKinds[partOffsets[row]] & PART_KIND_MASK) === PART_KIND.polygon;
}
