import { copyPart, copyRows } from '@geomill/core/columns/copy-rows.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { isInDegrees } from '@geomill/core/crs/degrees.ts';
import {
  GEOMETRY_TYPE,
  GeometryBuilder,
  type GeometryColumn,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { LayerWindow } from '@geomill/core/sphere/layer-window.ts';
import { wrapped } from '@geomill/core/sphere/unwrap.ts';
import { Geos } from '@geomill/geos/geos.ts';
import { stepFindings } from '../findings.ts';
import { KeptBatches } from '../parts/kept-batches.ts';
import { MAPPED, mapGeometries } from '../parts/map-geometries.ts';
import type { BatchStore, SerialRun, SerialTransformation } from '../transformation.ts';

const ID = 'lines_to_polygons';
/** Positions of a batch of faces. */
const BATCH_POSITIONS = 1 << 16;
const CLOSED_POSITIONS = 4;

export const code: SerialTransformation = {
  kind: 'serial',
  merges: true,
  outputFields: (fields, { method }) => (method === 'network' ? [] : fields),
  async begin({ method }, { crs }, store) {
    const geos = await Geos.load();
    return method === 'network' ? faces(geos, isInDegrees(crs)) : closedLines(geos, store);
  },
};

function closedLines(geos: Geos, store: BatchStore): SerialRun {
  const kept = new KeptBatches(store);
  return {
    add(batch, findings) {
      const open = new RowTally();
      const mapped = mapGeometries(batch, findings, ID, batch.geometry.dimensions, (column, row, builder) => {
        const { types, partOffsets } = column;
        const [first, end] = [partOffsets[row], partOffsets[row + 1]];
        const isLine =
          types[row] === GEOMETRY_TYPE.lineString || types[row] === GEOMETRY_TYPE.multiLineString;
        let isClosed = isLine;
        for (let part = first; isClosed && part < end; part++) isClosed = isRing(column, part);
        if (isLine && !isClosed) open.add(row);
        if (!isClosed) copyRows(builder, column, row, row + 1);
        else if (end - first === 1) {
          copyPart(builder, column, first, PART_KIND.polygon);
          builder.endFeature(GEOMETRY_TYPE.polygon);
        } else {
          using lines = geos.read(column, row);
          using area = lines.buildArea();
          return area.appendTo(builder) === GEOMETRY_TYPE.none ? MAPPED.dropped : MAPPED.changed;
        }
        return MAPPED.copied;
      });
      findings.noteTally(stepFindings.LINE_NOT_CLOSED, {}, open);
      kept.add(mapped);
    },
    finish: () => kept.all(),
  };
}

function isRing(
  { ringOffsets, coordOffsets, coordinates, dimensions }: GeometryColumn,
  part: number,
): boolean {
  const stride = strideOf(dimensions);
  const start = coordOffsets[ringOffsets[part]];
  const last = coordOffsets[ringOffsets[part] + 1] - 1;
  return (
    ringOffsets[part] < ringOffsets[part + 1] &&
    last - start + 1 >= CLOSED_POSITIONS &&
    coordinates[start * stride] === coordinates[last * stride] &&
    coordinates[start * stride + 1] === coordinates[last * stride + 1]
  );
}

/** `hasLongitudes`: lines on both sides of 180 degrees are brought to one plane. */
function faces(geos: Geos, hasLongitudes: boolean): SerialRun {
  const lines = new GeometryBuilder();
  return {
    add({ geometry, rowCount }, findings) {
      const { partOffsets, partKinds } = geometry;
      lines.widen(geometry.dimensions);
      for (let row = 0; row < rowCount; row++) {
        const before = lines.partCount;
        for (let part = partOffsets[row]; part < partOffsets[row + 1]; part++)
          if ((partKinds[part] & PART_KIND_MASK) === PART_KIND.line)
            copyPart(lines, geometry, part, PART_KIND.line);
        if (lines.partCount > before) lines.endFeature(GEOMETRY_TYPE.multiLineString);
        else findings.note(stepFindings.GEOMETRY_DROPPED, { operation: ID }, { record: row + 1 });
      }
    },
    finish: (findings) => facesOf(geos, lines.finish(), hasLongitudes, findings),
  };
}

function* facesOf(
  geos: Geos,
  lines: GeometryColumn,
  hasLongitudes: boolean,
  findings: Findings,
): Generator<FeatureBatch> {
  const column = hasLongitudes ? inOnePlane(lines) : lines;
  if (column.types.length === 0) return;
  const rows = Uint32Array.from(column.types, (_, row) => row);
  using all = geos.readParts(column, rows);
  using crossed = all.unaryUnion();
  const { faces: found, left } = crossed.polygonize();
  using collection = found;
  const edges = left.reduce((sum, one) => sum + (one.isEmpty ? 0 : one.partCount), 0);
  for (const one of left) one[Symbol.dispose]();
  if (edges > 0) findings.note(stepFindings.EDGES_WITHOUT_FACE, {}, undefined, edges);
  const count = collection.isEmpty ? 0 : collection.partCount;
  let builder = new GeometryBuilder(column.dimensions);
  for (let i = 0; i < count; i++) {
    using face = collection.part(i);
    face.appendTo(builder);
    if (builder.positionCount < BATCH_POSITIONS && i < count - 1) continue;
    yield batchOf(builder, hasLongitudes);
    builder = new GeometryBuilder(column.dimensions);
  }
}

function inOnePlane(lines: GeometryColumn): GeometryColumn {
  const window = new LayerWindow();
  window.addBounds(lines.coordinates, lines.dimensions);
  if (!window.isWide) return lines;
  window.add(lines);
  return window.place(lines);
}

function batchOf(builder: GeometryBuilder, hasLongitudes: boolean): FeatureBatch {
  const made = builder.finish();
  const geometry = hasLongitudes ? wrapped(made, true).geometry : made;
  return { rowCount: geometry.types.length, geometry, fields: [], columns: [], ids: null };
}
