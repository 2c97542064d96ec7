/** Cuts the features of a batch along the polygons of the source. */
import { positionBounds } from '../../batch/bounds.ts';
import type { FeatureBatch } from '../../batch/feature-batch.ts';
import { GEOMETRY_TYPE, GeometryBuilder, hasM, hasZ } from '../../batch/geometry-column.ts';
import { Geos } from '../../engines/geos/geos.ts';
import { failure } from '../../errors.ts';
import { RowTally } from '../../finding-rows.ts';
import type { Findings } from '../../findings.ts';
import { field } from '../../message.ts';
import { copyRows } from '../parts/copy-rows.ts';
import { sliverTolerance } from '../parts/sliver-tolerance.ts';
import { concludeSource } from '../parts/source/conclude-source.ts';
import { type FeatureSource, ROW_FLAG } from '../parts/source/feature-source.ts';
import { cutWhereDegrees, PlacedSource } from '../parts/source/placed-source.ts';
import { NO_ROW_OF_SOURCE, RowPairs } from '../parts/source/row-pairs.ts';
import { NamesReport, namedFields } from '../parts/source/source-fields.ts';
import { SOURCE } from '../parts/source-file.ts';
import type { ApplyStep, StepParameters, StepSetting, StreamingTransformation } from '../transformation.ts';
import { PieceCutter } from './piece-cutter.ts';

/** A step is not notified of its end: the memory of GEOS is freed when the step is garbage collected. */
const abandoned = new FinalizationRegistry<PlacedSource>((source) => source[Symbol.dispose]());

export const code: StreamingTransformation = {
  kind: 'streaming',
  outputFields: (fields, parameters) => [
    ...fields,
    ...namedFields(fields, sourceOf(parameters).table.fields, parameters),
  ],
  async prepare(parameters, setting) {
    const geos = await Geos.load();
    const placed = new PlacedSource(geos, sourceOf(parameters), setting);
    const step = new OverlayStep(geos, placed, parameters, setting);
    const apply: ApplyStep = (batch, findings) => step.apply(batch, findings);
    abandoned.register(apply, placed);
    return apply;
  },
  conclude: (parameters, findings) => concludeSource(sourceOf(parameters), findings),
};

function sourceOf(parameters: StepParameters): FeatureSource {
  return parameters[SOURCE] as FeatureSource;
}

class OverlayStep {
  readonly #parameters: StepParameters;
  readonly #setting: StepSetting;
  readonly #source: FeatureSource;
  readonly #cutter: PieceCutter;
  readonly #toleranceText: string;
  readonly #names = new NamesReport();

  constructor(geos: Geos, placed: PlacedSource, parameters: StepParameters, setting: StepSetting) {
    this.#parameters = parameters;
    this.#setting = setting;
    this.#source = sourceOf(parameters);
    const { tolerance, text } = sliverTolerance(positionBounds(placed.geometry), setting.crs);
    this.#toleranceText = text;
    this.#cutter = new PieceCutter(geos, placed, tolerance, parameters.how === 'identity');
  }

  /**
   * Notes OVERLAY_OUTSIDE, SLIVERS_DROPPED, GEOMETRY_REPAIRED, Z_INTERPOLATED, M_DROPPED and SOURCE_FIELD_RENAMED. Throws
   * TRANSFORMATION_INVALID for a collection.
   */
  apply(batch: FeatureBatch, findings: Findings): FeatureBatch {
    const { geometry, rowCount } = batch;
    const cutter = this.#cutter;
    const column = cutWhereDegrees(geometry, this.#setting.crs);
    const builder = new GeometryBuilder(geometry.dimensions, rowCount, geometry.coordinates.length / 2);
    const pairs = new RowPairs(rowCount, this.#setting);
    const outside = new RowTally();
    const slivers = new RowTally();
    const repaired = new RowTally();
    const withoutM = new RowTally();
    const interpolated = new RowTally();
    const { flags, table } = this.#source;
    const isIdentity = this.#parameters.how === 'identity';
    for (let row = 0; row < rowCount; row++) {
      if (column.types[row] === GEOMETRY_TYPE.geometryCollection) throw this.#collection(row);
      if (column.partOffsets[row] === column.partOffsets[row + 1]) {
        if (!isIdentity) {
          outside.add(row);
          continue;
        }
        copyRows(builder, geometry, row, row + 1);
        pairs.add(row, NO_ROW_OF_SOURCE);
        continue;
      }
      const before = pairs.count;
      cutter.cut(column, row, builder, (other) => {
        if (other >= 0) flags[other] |= ROW_FLAG.matched;
        pairs.add(row, other);
        if (pairs.count % 1024 === 0) this.#setting.checkPositions(builder.positionCount);
      });
      if (cutter.hasSlivers) slivers.add(row);
      if (cutter.isRepaired) repaired.add(row);
      if (pairs.count === before) outside.add(row);
      else if (cutter.isCut) {
        if (hasM(geometry.dimensions)) withoutM.add(row);
        if (hasZ(geometry.dimensions)) interpolated.add(row);
      }
    }
    const operation = 'overlay';
    findings.noteTally('OVERLAY_OUTSIDE', { source: table.file }, outside);
    findings.noteTally('SLIVERS_DROPPED', { operation, tolerance: this.#toleranceText }, slivers);
    findings.noteTally('GEOMETRY_REPAIRED', { operation }, repaired);
    findings.noteTally('Z_INTERPOLATED', { operation }, interpolated);
    findings.noteTally('M_DROPPED', { format: operation }, withoutM);
    const named = namedFields(batch.fields, table.fields, this.#parameters);
    this.#names.note(batch.fields, table.fields, named, this.#parameters, findings);
    return pairs.featuresOf(batch, [...batch.fields, ...named], table.columns, [], builder.finish());
  }

  #collection(row: number): Error {
    return failure(
      'TRANSFORMATION_INVALID',
      {
        path: field(this.#setting.path),
        reason: 'gets a geometry collection, which it cannot cut; add an explode step before it',
      },
      { record: row + 1 },
    );
  }
}
