/** Writes the features of a batch as placemarks. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { isValid, valueAt } from '@geomill/core/columns/attribute-column.ts';
import { type FeatureBatch, freeColumns } from '@geomill/core/columns/feature-batch.ts';
import { GEOMETRY_TYPE } from '@geomill/core/geometry/geometry-column.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { usualLength } from '@geomill/core/text/number-text.ts';
import { xmlText } from '@geomill/core/text/xml-text.ts';
import { formatFindings } from '../findings.ts';
import { XmlValueWriter } from '../xml-value-writer.ts';
import { isXsdTime } from '../xsd-values.ts';
import { kmlFindings } from './messages.ts';
import { GeometryWriter, type Modes } from './write-geometry.ts';
import type { Role, WriteState } from './write-plan.ts';

const encoder = new TextEncoder();
const ascii = (text: string): Uint8Array => encoder.encode(text);
const PLACEMARK = ascii('<Placemark>');
const END_PLACEMARK = ascii('</Placemark>\n');
const END_DATA = ascii('</SimpleData>');
const END_SCHEMA_DATA = ascii('</SchemaData></ExtendedData>');
const NOTHING = new Uint8Array(0);
const NO_MODES: Modes = { forPoints: NOTHING, forOthers: NOTHING };
/** Elements with the value of a field, in the order that the schema demands, before those of time. */
const LEADING = ['name', 'visibility', 'address', 'phoneNumber', 'snippet', 'description'] as const;
const ALTITUDE_MODES = ['clampToGround', 'relativeToGround', 'absolute'];

export function encodeFeatures(
  batch: FeatureBatch,
  state: WriteState,
  findings: Findings,
  isSpent: boolean,
): Uint8Array<ArrayBuffer> {
  const writer = new FeatureWriter(batch, state, isSpent);
  for (let row = 0; row < batch.rowCount; row++) writer.write(row);
  writer.noteLosses(findings);
  return writer.out.written();
}

class FeatureWriter {
  readonly out: ByteWriter;
  readonly #batch: FeatureBatch;
  readonly #state: WriteState;
  readonly #isSpent: boolean;
  readonly #geometry: GeometryWriter;
  readonly #values: readonly XmlValueWriter[];
  readonly #heads: readonly Uint8Array[];
  readonly #schemaData: Uint8Array;
  readonly #elements: readonly {
    readonly open: Uint8Array;
    readonly close: Uint8Array;
    readonly role: Role;
  }[];
  readonly #replaced = new RowTally();
  readonly #invalidColors = new RowTally();
  /** Fields of elements whose value of the row the element cannot hold. */
  readonly #isUnheld: Uint8Array;
  readonly #hasModes: boolean;
  readonly #hasTimes: boolean;

  constructor(batch: FeatureBatch, state: WriteState, isSpent: boolean) {
    this.#batch = batch;
    this.#state = state;
    this.#isSpent = isSpent;
    this.out = new ByteWriter(estimateBytes(batch, state));
    this.#geometry = new GeometryWriter(this.out, batch.geometry, state.rounding);
    this.#values = batch.columns.map((column) => new XmlValueWriter(this.out, column));
    this.#heads = batch.fields.map(({ name }) => ascii(`<SimpleData name="${xmlText(name)}">`));
    this.#schemaData = ascii(`<ExtendedData><SchemaData schemaUrl="#${state.schemaId}">`);
    this.#elements = LEADING.filter((role) => state.roles[role] !== undefined).map((role) => {
      const name = role === 'snippet' ? 'Snippet' : role;
      return { role, open: ascii(`<${name}>`), close: ascii(`</${name}>`) };
    });
    this.#isUnheld = new Uint8Array(batch.fields.length);
    const { altitudeMode, tessellate, extrude, timestamp, begin, end } = state.roles;
    this.#hasModes = altitudeMode !== undefined || tessellate !== undefined || extrude !== undefined;
    this.#hasTimes = timestamp !== undefined || begin !== undefined || end !== undefined;
  }

  write(row: number): void {
    const { out } = this;
    const { roles } = this.#state;
    this.#isUnheld.fill(0);
    out.copy(PLACEMARK);
    for (const { role, open, close } of this.#elements) {
      const index = roles[role] as number;
      if (!this.#hasValue(index, row)) continue;
      out.copy(open);
      if (role === 'visibility') out.ascii(this.#isTrue(index, row) ? '1' : '0');
      else if (this.#values[index].write(row)) this.#replaced.add(row);
      out.copy(close);
    }
    if (this.#hasTimes) this.#times(row);
    if (roles.color !== undefined || roles.icon !== undefined) this.#style(row);
    const modes = this.#hasModes ? this.#modes(row) : NO_MODES;
    this.#data(row);
    if (this.#isSpent && row === this.#batch.rowCount - 1) freeColumns(this.#batch);
    this.#geometry.write(row, modes);
    out.copy(END_PLACEMARK);
  }

  noteLosses(findings: Findings): void {
    findings.noteTally(generalFindings.M_DROPPED, { format: 'KML' }, this.#geometry.droppedMeasures);
    findings.noteTally(kmlFindings.KML_CHARACTERS_REPLACED, {}, this.#replaced);
    const color = this.#state.roles.color;
    if (color !== undefined)
      findings.noteTally(
        kmlFindings.KML_COLOR_INVALID,
        { field: this.#batch.fields[color].name },
        this.#invalidColors,
      );
    for (const [i, { name }] of this.#batch.fields.entries())
      findings.noteTally(
        formatFindings.NUMBER_NOT_FINITE,
        { field: name, format: 'KML' },
        this.#values[i].notFinite,
      );
  }

  #hasValue(index: number, row: number): boolean {
    return isValid(this.#batch.columns[index].validity, row);
  }

  #isTrue(index: number, row: number): boolean {
    return valueAt(this.#batch.columns[index], row) === true;
  }

  /** The text of the field of an element; null: it has none. */
  #text(role: Role, row: number): string | null {
    const index = this.#state.roles[role];
    if (index === undefined) return null;
    const value = valueAt(this.#batch.columns[index], row);
    return typeof value === 'string' ? value : null;
  }

  #unheld(role: Role): void {
    this.#isUnheld[this.#state.roles[role] as number] = 1;
  }

  /** A placemark has either a time span or a time stamp. */
  #times(row: number): void {
    const { out } = this;
    let span = '';
    for (const role of ['begin', 'end'] as const) {
      const text = this.#text(role, row);
      if (text === null) continue;
      if (isXsdTime(text)) span += `<${role}>${text}</${role}>`;
      else this.#unheld(role);
    }
    const stamp = this.#text('timestamp', row);
    if (stamp !== null && (span !== '' || !isXsdTime(stamp))) this.#unheld('timestamp');
    else if (stamp !== null) out.ascii(`<TimeStamp><when>${stamp}</when></TimeStamp>`);
    if (span !== '') out.ascii(`<TimeSpan>${span}</TimeSpan>`);
  }

  #style(row: number): void {
    const { out } = this;
    const type = this.#batch.geometry.types[row];
    const kind = type > GEOMETRY_TYPE.polygon && type < GEOMETRY_TYPE.geometryCollection ? type - 3 : type;
    let color = '';
    const text = this.#text('color', row);
    if (text !== null) {
      const abgr = abgrOf(text);
      if (abgr === null) {
        this.#invalidColors.add(row);
        this.#unheld('color');
      } else color = `<color>${abgr}</color>`;
    }
    const href = this.#text('icon', row);
    const icon = href === null ? '' : `<Icon><href>${xmlText(href)}</href></Icon>`;
    if (color === '' && icon === '') return;
    const isPlain = kind === GEOMETRY_TYPE.lineString || kind === GEOMETRY_TYPE.polygon;
    // An icon of a line or an area is not drawn, but kept.
    if (isPlain && icon !== '') this.#unheld('icon');
    out.ascii('<Style>');
    if (!isPlain && (icon !== '' || kind === GEOMETRY_TYPE.point))
      out.utf8(`<IconStyle>${color}${icon}</IconStyle>`);
    if (color !== '' && kind !== GEOMETRY_TYPE.point) {
      out.ascii(`<LineStyle>${color}</LineStyle>`);
      if (kind !== GEOMETRY_TYPE.lineString) out.ascii(`<PolyStyle>${color}</PolyStyle>`);
    }
    out.ascii('</Style>');
  }

  /** Elements of the geometry; what a feature without geometry, or a point, cannot hold is written as data. */
  #modes(row: number): Modes {
    const { types, partOffsets } = this.#batch.geometry;
    const type = types[row];
    const hasParts = partOffsets[row + 1] > partOffsets[row];
    const { tessellate, extrude } = this.#state.roles;
    const isPoint = type === GEOMETRY_TYPE.point || type === GEOMETRY_TYPE.multiPoint;
    let extruded = '';
    let tessellated = '';
    let altitude = '';
    if (extrude !== undefined && this.#hasValue(extrude, row)) {
      if (hasParts) extruded = `<extrude>${this.#isTrue(extrude, row) ? 1 : 0}</extrude>`;
      else this.#unheld('extrude');
    }
    if (tessellate !== undefined && this.#hasValue(tessellate, row)) {
      if (hasParts && !isPoint)
        tessellated = `<tessellate>${this.#isTrue(tessellate, row) ? 1 : 0}</tessellate>`;
      else this.#unheld('tessellate');
    }
    const mode = this.#text('altitudeMode', row);
    if (mode !== null) {
      if (hasParts && ALTITUDE_MODES.includes(mode)) altitude = `<altitudeMode>${mode}</altitudeMode>`;
      else this.#unheld('altitudeMode');
    }
    if (extruded === '' && tessellated === '' && altitude === '') return NO_MODES;
    return {
      forPoints: ascii(extruded + altitude),
      forOthers: ascii(extruded + tessellated + altitude),
    };
  }

  #data(row: number): void {
    const { out } = this;
    const { asData } = this.#state;
    let isOpen = false;
    for (let i = 0; i < this.#values.length; i++) {
      if ((asData[i] === 0 && this.#isUnheld[i] === 0) || !this.#hasValue(i, row)) continue;
      const value = this.#values[i];
      if (!value.isWritable(row)) continue;
      if (!isOpen) out.copy(this.#schemaData);
      isOpen = true;
      out.copy(this.#heads[i]);
      if (value.write(row)) this.#replaced.add(row);
      out.copy(END_DATA);
    }
    if (isOpen) out.copy(END_SCHEMA_DATA);
  }
}

/** aabbggrr of #rrggbb, #rgb or #rrggbbaa; null: it is no colour. */
function abgrOf(text: string): string | null {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(text.trim());
  const long =
    short === null
      ? text.trim()
      : `#${short
          .slice(1)
          .map((digit) => digit + digit)
          .join('')}`;
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})?$/i.exec(long);
  if (match === null) return null;
  const [, red, green, blue, alpha = 'ff'] = match;
  return `${alpha}${blue}${green}${red}`.toLowerCase();
}

/** Close enough that the buffer rarely has to grow. */
function estimateBytes(batch: FeatureBatch, state: WriteState): number {
  let bytes =
    batch.rowCount * 250 + batch.geometry.coordinates.length * (usualLength(state.rounding.xy) + 1) + 1024;
  for (const { name } of batch.fields) bytes += batch.rowCount * (name.length + 50);
  for (const column of batch.columns) if ('offsets' in column) bytes += column.bytes.length;
  return bytes;
}
