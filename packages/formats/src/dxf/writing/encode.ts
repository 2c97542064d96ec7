/** Encodes the features of a batch as entities of a drawing. Runs in the workers. */
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import {
  GEOMETRY_TYPE,
  type GeometryColumn,
  hasM,
  hasZ,
  PART_KIND,
  PART_KIND_MASK,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { fillMissingOrdinates } from '@geomill/core/geometry/missing-ordinates.ts';
import { signedArea } from '@geomill/core/geometry/rings.ts';
import { rowDimensions } from '@geomill/core/geometry/row-dimensions.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { usualLength } from '@geomill/core/text/number-text.ts';
import type { CoordinateRounding } from '../../coordinate-digits.ts';
import { formatFindings } from '../../findings.ts';
import { FEATURE_TAGS, FEATURE_TAGS_Z, MULTI_MARK, PART_TAGS, ROLE, ROLE_TAGS } from '../feature-marks.ts';
import { EntityWriter } from './entity-writer.ts';
import { measuredExtent } from './extent.ts';
import { GeometryEntities, type Run } from './geometry-entities.ts';
import { labelPlace } from './label-place.ts';
import { FIXED_LAYERS, type FixedLayer } from './layer-names.ts';
import { BlockInserts, type PointBlock } from './point-blocks.ts';
import { Rings } from './rings.ts';
import { columnOf, RowColors, RowLayers, textAt } from './row-style.ts';
import { TextEntities } from './text-entities.ts';
import { AttributesWriter } from './xdata-write.ts';

/** Distance of a label from its point, in letter heights. */
const BESIDE_POINT = 0.5;

/** How to encode; plain data. */
export interface DrawingEncoding {
  readonly layerName: string;
  /** Z is rounded as x and y. */
  readonly rounding: CoordinateRounding;
  readonly hatch: boolean;
  readonly attributes: boolean;
  /** Name of the block of which points are INSERTs; null: they are POINTs. */
  readonly pointBlock: string | null;
  readonly layerField: string | null;
  /** Layer of all features; null: that of `layerField`, or of their geometry. */
  readonly partLayer: string | null;
  readonly colorField: string | null;
  /** The text at each feature; null: none. */
  readonly labelField: string | null;
  /** Height of its letters in drawing units. */
  readonly labelHeight: number;
  /** Height of letters in drawing units for features without one. */
  readonly textHeight: number;
}

/** Entities of a batch; plain data. */
export interface DrawingChunk {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Offsets of handles in `bytes`. Handles count from 0; the sink adds the number of earlier ones. */
  readonly handleOffsets: Uint32Array<ArrayBuffer>;
  /** Offset and number of handles of owners, in pairs; they count in the same way. */
  readonly owners: Uint32Array<ArrayBuffer>;
  /** See extent.ts. */
  readonly extent: Float64Array<ArrayBuffer>;
  /** Names of layers from a field of the features. */
  readonly layers: readonly string[];
  /** The block of the points; null: they are no INSERTs. */
  readonly block: PointBlock | null;
  readonly rowCount: number;
  /** Whether the features have the fields requested for layers and colours. */
  readonly hasLayerField: boolean;
  readonly hasColorField: boolean;
  readonly hasLabelField: boolean;
}

const LAYER_TAGS = Object.fromEntries(
  FIXED_LAYERS.map(({ name }) => [name, new TextEncoder().encode(`8\n${name}\n`)]),
) as Record<FixedLayer, Uint8Array>;

export function encodeDrawing(
  batch: FeatureBatch,
  encoding: DrawingEncoding,
  findings: Findings,
): DrawingChunk {
  const { geometry, rowsFilledZ } = fillMissingOrdinates(batch.geometry);
  findings.noteTally(formatFindings.ORDINATE_FILLED, { format: 'DXF', ordinate: 'Z' }, rowsFilledZ);
  const extent = measuredExtent(geometry);
  const encoder = new DrawingEncoder({ ...batch, geometry }, encoding, findings);
  for (let row = 0; row < batch.rowCount; row++) encoder.row(row);
  return encoder.finish(extent);
}

class DrawingEncoder {
  readonly #geometry: GeometryColumn;
  readonly #stride: number;
  readonly #findings: Findings;
  readonly #encoding: DrawingEncoding;
  readonly #entities: EntityWriter;
  readonly #shapes: GeometryEntities;
  readonly #texts: TextEntities;
  readonly #blocks: BlockInserts | null;
  readonly #attributes: AttributesWriter | null;
  readonly #layers: RowLayers;
  readonly #colors: RowColors;
  readonly #rings: Rings;
  readonly #labels: AttributeColumn | null;
  readonly #droppedMeasures = new RowTally();
  readonly #emptyMembers = new RowTally();
  /** The current row. */
  #row = 0;
  #hasZ = false;
  #isBegun = false;
  #layer: Uint8Array | null = null;
  #mark: number = MULTI_MARK.none;
  /** Parts of a MultiPolygon with sloping faces are faces of a surface. */
  #isSurface = false;

  constructor(batch: FeatureBatch, encoding: DrawingEncoding, findings: Findings) {
    const { geometry } = batch;
    this.#geometry = geometry;
    this.#stride = strideOf(geometry.dimensions);
    this.#encoding = encoding;
    this.#findings = findings;
    this.#entities = new EntityWriter(estimateBytes(batch, encoding), encoding.rounding.xy);
    this.#shapes = new GeometryEntities(this.#entities, geometry.coordinates, this.#stride);
    this.#texts = new TextEntities(this.#entities, batch, encoding.textHeight);
    this.#blocks =
      encoding.pointBlock === null
        ? null
        : new BlockInserts(this.#entities, batch, encoding.pointBlock, encoding.textHeight, findings);
    this.#attributes = encoding.attributes
      ? new AttributesWriter(this.#entities.out, batch, encoding.layerName, findings)
      : null;
    this.#layers = new RowLayers(batch, encoding, findings);
    this.#rings = new Rings(geometry);
    this.#labels = columnOf(batch, encoding.labelField);
    this.#colors = new RowColors(batch, encoding.colorField, findings);
  }

  row(row: number): void {
    const { types, partOffsets, partKinds, ringOffsets, coordOffsets, dimensions } = this.#geometry;
    const firstPart = partOffsets[row];
    const endPart = partOffsets[row + 1];
    if (coordOffsets[ringOffsets[firstPart]] === coordOffsets[ringOffsets[endPart]]) {
      this.#findings.note(formatFindings.GEOMETRY_NOT_DRAWN, { format: 'DXF' }, { record: row + 1 });
      return;
    }
    this.#row = row;
    this.#hasZ = false;
    if (dimensions !== 'XY') {
      const own = rowDimensions(this.#geometry, row);
      this.#hasZ = hasZ(own);
      if (hasM(own)) this.#droppedMeasures.add(row);
    }
    this.#isBegun = false;
    this.#layer = this.#layers.tag(row);
    this.#entities.color = this.#colors.tag(row);
    this.#isSurface =
      types[row] === GEOMETRY_TYPE.multiPolygon && this.#hasZ && this.#rings.anySlope(firstPart, endPart);
    let awaitsFirst = false;
    for (let part = firstPart; part < endPart; part++) {
      const kind = partKinds[part];
      if ((kind & PART_MULTI_FIRST) !== 0) awaitsFirst = true;
      if (ringOffsets[part] === ringOffsets[part + 1] || this.#rings.isEmpty(ringOffsets[part])) {
        this.#emptyMembers.add(row);
        continue;
      }
      // If the first part of a member is empty, the next one that is drawn represents it.
      const isMulti = (kind & (PART_MULTI_FIRST | PART_MULTI_NEXT)) !== 0;
      this.#mark = !isMulti ? MULTI_MARK.none : awaitsFirst ? MULTI_MARK.first : MULTI_MARK.next;
      awaitsFirst = false;
      this.#part(part, kind & PART_KIND_MASK);
    }
    this.#label(row);
  }

  finish(extent: Float64Array<ArrayBuffer>): DrawingChunk {
    const findings = this.#findings;
    findings.noteTally(generalFindings.M_DROPPED, { format: 'DXF' }, this.#droppedMeasures);
    findings.noteTally(generalFindings.EMPTY_MEMBER_DROPPED, {}, this.#emptyMembers);
    return {
      // The buffer is sent whole: a copy of the exact length would cost more than the unused rest.
      bytes: this.#entities.out.written(),
      handleOffsets: this.#entities.handleOffsets(),
      owners: this.#entities.owners(),
      block: this.#blocks?.block ?? null,
      extent,
      layers: [...this.#layers.names.values()],
      rowCount: this.#geometry.types.length,
      hasLayerField: this.#layers.isFound,
      hasColorField: this.#colors.isFound,
      hasLabelField: this.#labels !== null,
    };
  }

  #part(part: number, kind: number): void {
    const { ringOffsets, coordOffsets, types } = this.#geometry;
    const ring = ringOffsets[part];
    if (kind === PART_KIND.polygon) this.#polygon(part);
    else if (kind === PART_KIND.line) this.#line(ring);
    else {
      const at = coordOffsets[ring] * this.#stride;
      const text = types[this.#row] === GEOMETRY_TYPE.point ? this.#texts.textOf(this.#row) : null;
      if (text === null) this.#point(at);
      else this.#text(text, at);
    }
  }

  #point(at: number): void {
    const { coordinates } = this.#geometry;
    const z = this.#hasZ ? coordinates[at + 2] : 0;
    this.#setLayer('point');
    if (this.#blocks === null) this.#shapes.point(at, z);
    else this.#blocks.insert(coordinates[at], coordinates[at + 1], z);
    this.#endEntity(ROLE.point);
    this.#blocks?.attributes(this.#row, coordinates[at], coordinates[at + 1], z);
  }

  #text(text: string, at: number): void {
    const { coordinates } = this.#geometry;
    this.#setLayer('annotation');
    const z = this.#hasZ ? coordinates[at + 2] : 0;
    this.#texts.write(this.#row, text, coordinates[at], coordinates[at + 1], z);
    this.#endEntity(ROLE.text);
  }

  /** Points that are texts need no label. */
  #label(row: number): void {
    const text = this.#labels === null ? null : textAt(this.#labels, row);
    if (text === null || text.trim() === '') return;
    if (this.#geometry.types[row] === GEOMETRY_TYPE.point && this.#texts.textOf(row) !== null) return;
    const place = labelPlace(this.#geometry, row);
    if (place === null) return;
    const height = this.#encoding.labelHeight;
    // Of a row without Z in a batch with Z it is NaN.
    const z = this.#hasZ ? place.z : 0;
    this.#setLayer('annotation');
    if (place.kind === PART_KIND.point) {
      const beside = height * BESIDE_POINT;
      this.#texts.label(text, height, 'left', place.x + beside, place.y + beside, z);
    } else this.#texts.label(text, height, 'middle', place.x, place.y, z);
    this.#mark = MULTI_MARK.none;
    this.#endEntity(ROLE.label);
  }

  #line(ring: number): void {
    this.#setLayer('polyline');
    this.#polyline(this.#rings.takeLine(ring), ROLE.line);
  }

  #polygon(part: number): void {
    const rings = this.#rings;
    rings.take(part);
    const shell = rings.runs[0];
    if (this.#isSurface && rings.isFace(part)) {
      this.#setLayer('multipatch');
      this.#shapes.face(shell);
      this.#endEntity(ROLE.shell);
      return;
    }
    this.#setLayer('polygon');
    if (this.#encoding.hatch && this.#isSeen(shell)) {
      this.#shapes.fill(rings.runs, rings.count, this.#fillHeight(shell));
      this.#endEntity(ROLE.fill);
    }
    for (let i = 0; i < rings.count; i++) this.#polyline(rings.runs[i], i === 0 ? ROLE.shell : ROLE.hole);
  }

  /** Whether a fill has an area: a wall seen from above has none, and its HATCH would have no boundary. */
  #isSeen(shell: Run): boolean {
    if (!this.#shapes.isArea(shell)) return false;
    if (!this.#hasZ || !this.#rings.varies(shell)) return true;
    const stride = this.#stride;
    return signedArea(this.#geometry.coordinates, stride, shell.start / stride, shell.end / stride) !== 0;
  }

  /** A HATCH is planar, so below an outline of varying height it is at the mean height. */
  #fillHeight(shell: Run): number {
    if (!this.#hasZ) return 0;
    if (this.#rings.varies(shell)) return this.#rings.meanZ(shell);
    return this.#geometry.coordinates[shell.start + 2];
  }

  #polyline(run: Run, role: number): void {
    const isClosed = role !== ROLE.line;
    if (this.#hasZ && this.#rings.varies(run)) {
      this.#shapes.spacePolyline(isClosed);
      this.#endEntity(role);
      this.#shapes.spaceVertices(run);
      return;
    }
    const elevation = this.#hasZ ? this.#geometry.coordinates[run.start + 2] : Number.NaN;
    this.#shapes.flatPolyline(run, isClosed, elevation);
    this.#endEntity(role);
  }

  /** Writes the XDATA of the last entity. */
  #endEntity(role: number): void {
    const attributes = this.#attributes;
    if (attributes === null) return;
    const { out } = this.#entities;
    if (this.#isBegun) {
      out.copy(PART_TAGS[this.#mark][role]);
      return;
    }
    this.#isBegun = true;
    const start = out.length;
    out.copy(FEATURE_TAGS[this.#geometry.types[this.#row] + (this.#hasZ ? FEATURE_TAGS_Z : 0)]);
    out.copy(ROLE_TAGS[this.#mark][role]);
    attributes.write(this.#row, start);
  }

  #setLayer(layer: FixedLayer): void {
    this.#entities.layer = this.#layer ?? LAYER_TAGS[layer];
  }
}

/** Close enough that the buffer rarely has to grow. */
function estimateBytes(batch: FeatureBatch, encoding: DrawingEncoding): number {
  const positions = batch.geometry.coordinates.length / strideOf(batch.geometry.dimensions);
  const copies = encoding.hatch ? 2 : 1;
  const positionBytes = 2 * (usualLength(encoding.rounding.xy) + 4);
  let bytes = (batch.rowCount * 230 + positions * positionBytes) * copies + 1024;
  if (!encoding.attributes) return bytes;
  for (const { name } of batch.fields) bytes += batch.rowCount * (name.length + 22);
  for (const column of batch.columns) if ('offsets' in column) bytes += column.bytes.length;
  return bytes;
}
