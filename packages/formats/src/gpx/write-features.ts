/** Writes the features of a batch as waypoints, routes and tracks. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { type AttributeColumn, isValid, valueAt } from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import {
  GEOMETRY_TYPE,
  hasM,
  hasZ,
  PART_KIND,
  PART_KIND_MASK,
  strideOf,
} from '@geomill/core/geometry/geometry-column.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { usualLength } from '@geomill/core/text/number-text.ts';
import { formatFindings } from '../findings.ts';
import { gpxFindings } from './messages.ts';
import { PositionWriter } from './position-writer.ts';
import { dateTimeOf, ElementsWriter, ElementTallies } from './write-elements.ts';
import type { WriteState } from './write-plan.ts';

/** The argument of the sink's `append`. */
export interface GpxChunk {
  /** Numbers of the fields that have a value. */
  readonly usedFields: readonly number[];
  readonly wpt: Uint8Array<ArrayBuffer>;
  readonly rte: Uint8Array<ArrayBuffer>;
  readonly trk: Uint8Array<ArrayBuffer>;
}

function hasValues({ validity }: AttributeColumn, rowCount: number): boolean {
  if (validity === null) return rowCount > 0;
  for (let row = 0; row < rowCount; row++) if (isValid(validity, row)) return true;
  return false;
}

type Times = readonly (readonly (string | null)[])[];

export function encodeFeatures(batch: FeatureBatch, state: WriteState, findings: Findings): GpxChunk {
  const writer = new FeatureWriter(batch, state);
  for (let row = 0; row < batch.rowCount; row++) writer.write(row);
  writer.noteLosses(findings);
  const usedFields = batch.columns.flatMap((column, i) => (hasValues(column, batch.rowCount) ? [i] : []));
  return { usedFields, wpt: writer.wpt.written(), rte: writer.rte.written(), trk: writer.trk.written() };
}

class FeatureWriter {
  readonly wpt: ByteWriter;
  readonly rte: ByteWriter;
  readonly trk: ByteWriter;
  readonly #batch: FeatureBatch;
  readonly #state: WriteState;
  readonly #tallies: ElementTallies;
  readonly #elements: Readonly<Record<'wpt' | 'rte' | 'trk', ElementsWriter>>;
  readonly #position: PositionWriter;
  readonly #stride: number;
  readonly #notDrawn = new RowTally();
  readonly #repeated = new RowTally();
  readonly #polygons = new RowTally();
  readonly #otherElevations = new RowTally();
  readonly #unusedTimes = new RowTally();
  readonly #droppedMeasures = new RowTally();

  constructor(batch: FeatureBatch, state: WriteState) {
    this.#batch = batch;
    this.#state = state;
    const { types, dimensions } = batch.geometry;
    const bytes = estimateBytes(batch, state);
    const isPoint = types.length > 0 && types[0] % 3 === GEOMETRY_TYPE.point;
    this.wpt = new ByteWriter(isPoint ? bytes : 1024);
    this.rte = new ByteWriter(!isPoint && state.lines === 'rte' ? bytes : 1024);
    this.trk = new ByteWriter(!isPoint && state.lines === 'trk' ? bytes : 1024);
    this.#tallies = new ElementTallies(batch.fields.length);
    const { ofPoints, ofLines } = state;
    this.#elements = {
      wpt: new ElementsWriter(this.wpt, batch, state, ofPoints, this.#tallies),
      rte: new ElementsWriter(this.rte, batch, state, ofLines, this.#tallies),
      trk: new ElementsWriter(this.trk, batch, state, ofLines, this.#tallies),
    };
    this.#position = new PositionWriter(batch.geometry, state.rounding);
    this.#stride = strideOf(dimensions);
  }

  write(row: number): void {
    const { types, partOffsets, partKinds, ringOffsets } = this.#batch.geometry;
    const type = types[row];
    const first = partOffsets[row];
    const end = partOffsets[row + 1];
    if (ringOffsets[end] === ringOffsets[first]) {
      this.#notDrawn.add(row);
      return;
    }
    this.#position.row = row;
    if (hasM(this.#batch.geometry.dimensions)) this.#countMeasures(row);
    let lineCount = 0;
    let pointCount = 0;
    for (let part = first; part < end; part++) {
      if (ringOffsets[part] === ringOffsets[part + 1]) continue;
      if ((partKinds[part] & PART_KIND_MASK) === PART_KIND.point) {
        this.#waypoint(row, part);
        pointCount++;
      } else lineCount++;
    }
    if (lineCount > 0) {
      if (type === GEOMETRY_TYPE.lineString && this.#state.lines === 'rte') this.#route(row, first);
      else this.#track(row, first, end);
    }
    if (pointCount + Math.min(lineCount, 1) > 1) this.#repeated.add(row);
  }

  noteLosses(findings: Findings): void {
    const { fields } = this.#batch;
    const { replaced, notFinite, unheld } = this.#tallies;
    findings.noteTally(formatFindings.GEOMETRY_NOT_DRAWN, { format: 'GPX' }, this.#notDrawn);
    findings.noteTally(gpxFindings.GPX_PARTS_REPEATED, {}, this.#repeated);
    findings.noteTally(gpxFindings.GPX_POLYGON_AS_TRACK, {}, this.#polygons);
    findings.noteTally(gpxFindings.GPX_LONGITUDE_WRAPPED, {}, this.#position.wrapped);
    findings.noteTally(gpxFindings.GPX_POSITION_OUT_OF_RANGE, {}, this.#position.outside);
    findings.noteTally(gpxFindings.GPX_ELE_DIFFERS, {}, this.#otherElevations);
    findings.noteTally(gpxFindings.GPX_TIMES_UNUSED, {}, this.#unusedTimes);
    findings.noteTally(generalFindings.M_DROPPED, { format: 'GPX' }, this.#droppedMeasures);
    findings.noteTally(gpxFindings.GPX_CHARACTERS_REPLACED, {}, replaced);
    for (const [i, { name }] of fields.entries()) {
      findings.noteTally(formatFindings.NUMBER_NOT_FINITE, { field: name, format: 'GPX' }, notFinite[i]);
      findings.noteTally(gpxFindings.GPX_VALUES_AS_EXTENSIONS, { field: name }, unheld[i]);
    }
  }

  #waypoint(row: number, part: number): void {
    const { ringOffsets, coordOffsets } = this.#batch.geometry;
    const out = this.wpt;
    const elements = this.#elements.wpt;
    const at = coordOffsets[ringOffsets[part]] * this.#stride;
    out.ascii('<wpt ');
    this.#position.attributes(out, at, true);
    out.ascii('>');
    this.#elevation(row, at, elements);
    elements.hasLooseTimes = true;
    elements.write(row);
    out.ascii('</wpt>\n');
  }

  /** The elevation of a waypoint: its Z, or else the field. */
  #elevation(row: number, at: number, elements: ElementsWriter): void {
    const { elevation } = this.#state;
    const { columns } = this.#batch;
    const z = this.#position.z(at);
    const value =
      elevation >= 0 && isValid(columns[elevation].validity, row)
        ? Number(valueAt(columns[elevation], row))
        : Number.NaN;
    elements.hasLooseElevation = Number.isNaN(z) && !Number.isFinite(value);
    if (!Number.isNaN(z)) {
      this.#position.elevation(this.wpt, z);
      if (!Number.isNaN(value) && value !== z) this.#otherElevations.add(row);
    } else if (Number.isFinite(value)) this.#position.elevation(this.wpt, value);
  }

  #route(row: number, part: number): void {
    const out = this.rte;
    const elements = this.#elements.rte;
    const { ringOffsets } = this.#batch.geometry;
    const times = this.#times(row, ringOffsets[part], ringOffsets[part] + 1, elements);
    out.ascii('<rte>');
    elements.write(row);
    out.ascii('\n');
    this.#positions(out, 'rtept', ringOffsets[part], times?.[0] ?? null);
    out.ascii('</rte>\n');
  }

  #track(row: number, first: number, end: number): void {
    const out = this.trk;
    const elements = this.#elements.trk;
    const { ringOffsets, partKinds } = this.#batch.geometry;
    const times = this.#times(row, ringOffsets[first], ringOffsets[end], elements);
    let hasPolygon = false;
    out.ascii('<trk>');
    elements.write(row);
    out.ascii('\n');
    for (let part = first; part < end; part++) {
      const kind = partKinds[part] & PART_KIND_MASK;
      if (kind === PART_KIND.point) continue;
      hasPolygon ||= kind === PART_KIND.polygon;
      for (let ring = ringOffsets[part]; ring < ringOffsets[part + 1]; ring++) {
        out.ascii('<trkseg>\n');
        this.#positions(out, 'trkpt', ring, times?.[ring - ringOffsets[first]] ?? null);
        out.ascii('</trkseg>\n');
      }
    }
    out.ascii('</trk>\n');
    if (hasPolygon) this.#polygons.add(row);
  }

  #positions(
    out: ByteWriter,
    name: 'rtept' | 'trkpt',
    ring: number,
    times: readonly (string | null)[] | null,
  ): void {
    const { coordOffsets } = this.#batch.geometry;
    const position = this.#position;
    const start = coordOffsets[ring];
    const end = coordOffsets[ring + 1];
    const open = `<${name} `;
    const close = `</${name}>\n`;
    for (let i = start; i < end; i++) {
      const at = i * this.#stride;
      const z = position.z(at);
      const time = times?.[i - start] ?? null;
      out.ascii(open);
      position.attributes(out, at, false);
      if (time === null && Number.isNaN(z)) {
        out.ascii('/>\n');
        continue;
      }
      out.ascii('>');
      if (!Number.isNaN(z)) position.elevation(out, z);
      if (time !== null) out.ascii(`<time>${time}</time>`);
      out.ascii(close);
    }
  }

  /** The times of the positions of rings `[first, end)`; null: the feature has none that fit them. */
  #times(row: number, first: number, end: number, elements: ElementsWriter): Times | null {
    const field = this.#state.times;
    elements.hasLooseElevation = true;
    elements.hasLooseTimes = false;
    if (field < 0 || !isValid(this.#batch.columns[field].validity, row)) return null;
    const { coordOffsets } = this.#batch.geometry;
    const lists = timeLists(String(valueAt(this.#batch.columns[field], row)));
    const fits =
      lists?.length === end - first &&
      lists.every((list, i) => list.length === coordOffsets[first + i + 1] - coordOffsets[first + i]);
    if (fits) return lists;
    elements.hasLooseTimes = true;
    this.#unusedTimes.add(row);
    return null;
  }

  #countMeasures(row: number): void {
    const { partOffsets, ringOffsets, coordOffsets, coordinates } = this.#batch.geometry;
    const stride = this.#stride;
    const end = coordOffsets[ringOffsets[partOffsets[row + 1]]] * stride;
    for (let at = coordOffsets[ringOffsets[partOffsets[row]]] * stride + stride - 1; at < end; at += stride)
      if (!Number.isNaN(coordinates[at])) {
        this.#droppedMeasures.add(row);
        return;
      }
  }
}

/** Times of xsd:dateTime for each ring; null: the JSON is something else. */
function timeLists(json: string): (string | null)[][] | null {
  const value = JSON.parse(json) as unknown;
  if (!Array.isArray(value)) return null;
  const lists = (value.some(Array.isArray) ? value : [value]) as unknown[];
  const result: (string | null)[][] = [];
  for (const list of lists) {
    if (!Array.isArray(list)) return null;
    const times: (string | null)[] = [];
    for (const item of list) {
      const time = typeof item === 'string' && item !== '' ? dateTimeOf(item) : null;
      if (time === null && item !== null && item !== '') return null;
      times.push(time);
    }
    result.push(times);
  }
  return result;
}

/** Close enough that a buffer rarely has to grow. */
function estimateBytes(batch: FeatureBatch, state: WriteState): number {
  const { geometry, rowCount, fields, columns } = batch;
  const perPosition = 2 * (usualLength(state.rounding.xy) + 1) + (hasZ(geometry.dimensions) ? 50 : 25);
  let bytes =
    rowCount * 60 + (geometry.coordinates.length / strideOf(geometry.dimensions)) * perPosition + 1024;
  for (const { name } of fields) bytes += rowCount * (2 * name.length + 24);
  for (const column of columns) if ('offsets' in column) bytes += column.bytes.length;
  return bytes;
}
