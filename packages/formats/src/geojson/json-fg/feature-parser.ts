/** Parses the features of one layer of a JSON-FG document; those of other layers are skipped. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { NO_KEY, PropertyParser } from '@geomill/core/columns/property-parser.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { finishIds, ValueColumn } from '@geomill/core/columns/value-column.ts';
import { GEOMETRY_TYPE, GeometryBuilder, hasM } from '@geomill/core/geometry/geometry-column.ts';
import { GEOMETRY_NOTE_FINDINGS } from '@geomill/core/geometry/geometry-notes.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { OPEN_BRACE } from '@geomill/core/text/ascii.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import { formatFindings } from '../../findings.ts';
import { propertyRules } from '../../property-rules.ts';
import { noFeature } from '../feature-faults.ts';
import { GeometryParser } from '../geometry-parser.ts';
import { geojsonFindings } from '../messages.ts';
import type { BatchParser } from '../text-parser.ts';
import { GeometryObjectReader } from './geometry-objects.ts';
import { ROOT_MEMBERS, textAt } from './members.ts';
import { type CollectionContext, FeatureOutline, NO_CONTEXT } from './outline.ts';
import { featureKey, type JsonFgLayer } from './state.ts';
import { TimeColumns } from './time-columns.ts';

/** Number of foreign members whose names are reported separately for one partition. */
const MAX_FOREIGN_NAMES = 20;

export class JsonFgFeatureParser implements BatchParser {
  readonly readsExtendedTypes = true;
  readonly #scanner: JsonScanner;
  readonly #layer: JsonFgLayer;
  readonly #findings: Findings;
  readonly #builder = new GeometryBuilder();
  readonly #outline: FeatureOutline;
  readonly #geometry: GeometryParser;
  readonly #objects: GeometryObjectReader;
  readonly #properties: PropertyParser;
  readonly #times: TimeColumns;
  readonly #swapped: ReadonlySet<string>;
  readonly #ids = new ValueColumn('id', NO_KEY, -1);
  readonly #foreignNames = new Set<string>();
  #hasIds = false;
  /** Offset of the geometry that is being read, for messages. */
  #geometryAt = 0;
  /** Findings of the current feature; kept only when the feature is complete. */
  #pending: (() => void)[] = [];

  constructor(scanner: JsonScanner, layer: JsonFgLayer, limits: InputLimits, findings: Findings) {
    this.#scanner = scanner;
    this.#layer = layer;
    this.#findings = findings;
    this.#outline = new FeatureOutline(scanner);
    this.#geometry = new GeometryParser(scanner, this.#builder, limits.coordinatesPerFeature, (start, end) =>
      this.#foreign(start, end),
    );
    this.#objects = new GeometryObjectReader(this.#builder, {
      checkCount: () => this.#geometry.positions.checkCount(),
      fault: (reason) => scanner.fault(this.#geometryAt, reason, 'structure'),
    });
    const keep = (note: () => void): unknown => this.#pending.push(note);
    this.#properties = new PropertyParser(
      scanner,
      propertyRules('properties', layer.name, limits, findings, keep),
    );
    this.#times = new TimeColumns(layer.document.timeNames);
    this.#swapped = new Set(layer.document.swapped);
  }

  get rowCount(): number {
    return this.#builder.featureCount;
  }

  rollback(): void {
    this.#builder.rollback();
    this.#pending = [];
  }

  beginCollection(context: CollectionContext): void {
    this.#outline.context = context;
  }

  endCollection(): void {
    this.#outline.context = NO_CONTEXT;
  }

  feature(at: number, depth: number): number {
    const scanner = this.#scanner;
    const outline = this.#outline;
    if (scanner.bytes[at] !== OPEN_BRACE) throw noFeature(scanner, at);
    const end = outline.feature(at, depth);
    if (!this.#isOfLayer()) return end;
    const row = this.rowCount;
    const { members } = outline;
    this.#begin();
    const propertiesAt = members.anyAt('properties');
    if (propertiesAt >= 0) this.#properties.object(propertiesAt, row, depth + 1);
    const idAt = members.at('id');
    if (idAt >= 0) {
      this.#hasIds = true;
      this.#properties.value(this.#ids, row, idAt, depth + 1);
    }
    this.#time(members.text('time'), row);
    for (const { keyStart, keyEnd } of members.others) this.#foreign(keyStart, keyEnd);
    this.#end(this.#geometryOfFeature());
    return end;
  }

  bareGeometry(at: number): number {
    const end = this.#outline.bareGeometry(at);
    if (!this.#isOfLayer()) return end;
    this.#begin();
    this.#end(this.#place(at));
    return end;
  }

  finish(fields: readonly Field[] | null): FeatureBatch {
    const { rowCount } = this;
    const times = this.#times.finish(rowCount, fields);
    const timeOf = new Map(times.map((time) => [time.field.name, time]));
    const own = fields?.filter(({ name }) => !timeOf.has(name)) ?? null;
    const found = this.#properties.finish(rowCount, own);
    const all = found.fields.map((field, i) => ({ field, column: found.columns[i] }));
    const inOrder =
      fields === null
        ? [...all, ...times]
        : fields.map(
            ({ name }) => timeOf.get(name) ?? all[own?.findIndex((field) => field.name === name) ?? 0],
          );
    return {
      rowCount,
      geometry: this.#builder.finish(),
      fields: inOrder.map(({ field }) => field),
      columns: inOrder.map(({ column }) => column),
      ids: this.#hasIds ? finishIds(this.#ids, rowCount) : null,
    };
  }

  #isOfLayer(): boolean {
    const { document, number } = this.#layer;
    return document.layers[featureKey(this.#outline.kind(document.prefersPlace))] === number;
  }

  #begin(): void {
    const geometry = this.#geometry;
    geometry.notes = 0;
    geometry.positions.extraOrdinates = 0;
    geometry.positions.featureStart = this.#builder.positionCount;
    this.#objects.notes = 0;
    this.#objects.extraOrdinates = 0;
  }

  #time(json: string | null, row: number): void {
    if (json === null || this.#times.append(json, row)) return;
    this.#note(() => this.#findings.note(geojsonFindings.JSONFG_TIME_DROPPED, {}, { record: row + 1 }));
  }

  #geometryOfFeature(): number {
    const outline = this.#outline;
    const { members } = outline;
    if (outline.placeForm === 'other') {
      const record = this.rowCount + 1;
      this.#note(() => this.#findings.note(geojsonFindings.JSONFG_PLACE_DROPPED, {}, { record }));
    } else if (outline.placeForm === 'none' && members.at('place') >= 0) this.#foreignName('place');
    switch (outline.source(this.#layer.document.prefersPlace)) {
      case 'place':
        return this.#place(members.at('place'));
      case 'geometry':
        return this.#read(members.at('geometry'), outline.geometryForm === 'extended', false);
      case 'none':
        return GEOMETRY_TYPE.none;
    }
  }

  /** Reads the geometry at `at` in its CRS, and puts x first. */
  #place(at: number): number {
    const { document } = this.#layer;
    const start = this.#builder.coordinateLength / this.#builder.stride;
    const { crs } = this.#outline.kind(document.prefersPlace);
    const hasMeasures = this.#outline.measures(document.rootMeasures);
    const type = this.#read(at, this.#outline.placeForm !== 'plain', hasMeasures);
    const own = crs ?? document.rootCrs;
    if (own !== null && this.#swapped.has(own)) swapAxes(this.#builder, start);
    return type;
  }

  #read(at: number, isExtended: boolean, hasMeasures: boolean): number {
    // The parser of GeoJSON knows no M, so it cannot add positions to a column that has it.
    if (isExtended || hasMeasures || hasM(this.#builder.dimensions)) {
      this.#geometryAt = at;
      return this.#objects.read(JSON.parse(textAt(this.#scanner, at)), hasMeasures);
    }
    this.#geometry.parse(at, 0);
    return this.#geometry.type;
  }

  #foreign(start: number, end: number): void {
    this.#foreignName(this.#properties.keyText(start, end));
  }

  #foreignName(names: string): void {
    if (ROOT_MEMBERS.has(names) || names === 'bbox') return;
    if (!this.#foreignNames.has(names)) {
      if (this.#foreignNames.size < MAX_FOREIGN_NAMES) this.#foreignNames.add(names);
      else names = '…';
    }
    const record = this.rowCount + 1;
    this.#note(() => this.#findings.note(geojsonFindings.FOREIGN_MEMBERS_DROPPED, { names }, { record }));
  }

  #note(note: () => void): void {
    this.#pending.push(note);
  }

  #end(geometryType: number): void {
    this.#builder.endFeature(geometryType);
    const location = { record: this.rowCount };
    const notes = this.#geometry.notes | this.#objects.notes;
    for (const [bit, entry] of GEOMETRY_NOTE_FINDINGS)
      if ((notes & bit) !== 0) this.#findings.note(entry, {}, location);
    const extra = this.#geometry.positions.extraOrdinates + this.#objects.extraOrdinates;
    if (extra > 0) this.#findings.note(formatFindings.EXTRA_ORDINATES, {}, location, extra);
    for (const note of this.#pending) note();
    this.#pending = [];
  }
}

/** Exchanges x and y of the positions from `start` on. */
function swapAxes(builder: GeometryBuilder, start: number): void {
  const { coordinates, coordinateLength, stride } = builder;
  for (let at = start * stride; at < coordinateLength; at += stride) {
    const x = coordinates[at];
    coordinates[at] = coordinates[at + 1];
    coordinates[at + 1] = x;
  }
}
