/** Reads routes as lines and tracks as multi lines. */
import { DocumentColumns } from '@geomill/core/columns/document-columns.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { GEOMETRY_TYPE, GeometryBuilder, PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import { tagName } from '@geomill/core/text/xml-elements.ts';
import type { XmlScanner } from '@geomill/core/text/xml-scanner.ts';
import { checkFieldCount, type InputLimits } from '@geomill/io/limits.ts';
import { ElementReader } from './element-reader.ts';
import { gpxFindings } from './messages.ts';
import { addStandardColumns, hintOf, standardFields, TIMES } from './standard-fields.ts';
import type { LayerState, PieceCounts } from './state.ts';
import { TimeList } from './time-list.ts';

/** Positions between two checks of their number. */
const CHECKED = 0xffff;

export class LineReader {
  readonly #scanner: XmlScanner;
  readonly #state: LayerState;
  readonly #limits: InputLimits;
  readonly #findings: Findings;
  readonly #builder: GeometryBuilder;
  readonly #columns: DocumentColumns;
  readonly #element: ElementReader;
  readonly #times = new TimeList();
  readonly #isTrack: boolean;
  /** Numbers of positions before the line and before its segment. */
  #lineStart = 0;
  #segmentStart = 0;
  #timesStart = 0;

  /** `expected`: numbers of features and of points in the partition. */
  constructor(
    scanner: XmlScanner,
    state: LayerState,
    limits: InputLimits,
    findings: Findings,
    expected: PieceCounts,
  ) {
    const { kind, document } = state;
    this.#builder = new GeometryBuilder('XY', expected.features, expected.points);
    this.#scanner = scanner;
    this.#state = state;
    this.#limits = limits;
    this.#findings = findings;
    this.#columns = new DocumentColumns(hintOf, findings, (count) => checkFieldCount(kind, count, limits));
    addStandardColumns(this.#columns, kind, document.hasStandardFields);
    this.#element = new ElementReader(scanner, document.rootPrefix, this.#columns, findings);
    this.#isTrack = kind === 'tracks';
  }

  get rowCount(): number {
    return this.#builder.featureCount;
  }

  /** A piece begins: always outside of lines. */
  begin(): void {
    this.#scanner.depth = 0;
  }

  /** Reads the window, whose end may be between two points. */
  read(): void {
    const scanner = this.#scanner;
    for (let at = scanner.find(0); at >= 0; at = scanner.find(at)) {
      at = scanner.tag(at);
      if (scanner.isEnd) {
        if (scanner.depth === 0) this.#endLine();
        else this.#endSegment();
      } else at = this.#start(at);
    }
  }

  finish(fields: readonly Field[] | null): FeatureBatch {
    const { rowCount } = this;
    const kept = new Set(this.#state.document.hasStandardFields ? standardFields(this.#state.kind) : []);
    const columns = this.#columns.finish(rowCount, fields, (name) => kept.has(name));
    return { rowCount, geometry: this.#builder.finish(), ...columns, ids: null };
  }

  #start(at: number): number {
    const scanner = this.#scanner;
    const name = this.#element.name();
    const { isEmpty } = scanner;
    const level = isEmpty ? scanner.depth + 1 : scanner.depth;
    if (level === 1) {
      if (name !== (this.#isTrack ? 'trk' : 'rte')) return scanner.skip(at);
      this.#beginLine();
      if (isEmpty) this.#endLine();
      return at;
    }
    if (level === 2 && this.#isTrack && name === 'trkseg') {
      this.#beginSegment();
      if (isEmpty) this.#endSegment();
      return at;
    }
    if (this.#isTrack ? level === 3 && name === 'trkpt' : name === 'rtept') return this.#point(at);
    if (level === 2) return this.#element.child(name, at);
    // Extensions of a segment.
    if (!(name === 'extensions' && isEmpty)) this.#element.ignored(tagName(scanner), this.rowCount + 1);
    return scanner.skip(at);
  }

  #beginLine(): void {
    this.#columns.row = this.rowCount;
    this.#lineStart = this.#builder.positionCount;
    this.#segmentStart = this.#lineStart;
    this.#times.open();
  }

  #beginSegment(): void {
    this.#segmentStart = this.#builder.positionCount;
    this.#timesStart = this.#times.json.length;
    this.#times.open();
  }

  #endSegment(): void {
    const builder = this.#builder;
    const count = builder.positionCount - this.#segmentStart;
    const location = { record: this.rowCount + 1 };
    if (count === 0) {
      this.#times.json.length = this.#timesStart;
      this.#findings.note(generalFindings.EMPTY_MEMBER_DROPPED, {}, location);
      return;
    }
    this.#times.close();
    if (count === 1) this.#findings.note(generalFindings.GEOMETRY_DEGENERATE, {}, location);
    builder.endRing();
    builder.endPart(PART_KIND.line);
  }

  #endLine(): void {
    const builder = this.#builder;
    const times = this.#times;
    const count = builder.positionCount - this.#lineStart;
    this.#checkCount(count);
    if (!this.#isTrack && count > 0) {
      if (count === 1)
        this.#findings.note(generalFindings.GEOMETRY_DEGENERATE, {}, { record: this.rowCount + 1 });
      builder.endRing();
      builder.endPart(PART_KIND.line);
    }
    times.close();
    if (times.hasAny) this.#columns.setJsonText(TIMES, times.json.bytes, 0, times.json.length);
    times.reset();
    builder.endFeature(this.#isTrack ? GEOMETRY_TYPE.multiLineString : GEOMETRY_TYPE.lineString);
  }

  #point(at: number): number {
    const element = this.#element;
    const builder = this.#builder;
    const times = this.#times;
    const hasPosition = element.position();
    times.beginPoint();
    at = element.elevationAndTime(at, times);
    times.endPoint();
    if (!hasPosition) {
      times.dropPoint();
      this.#findings.note(gpxFindings.GPX_POSITION_MISSING, {}, { record: this.rowCount + 1 });
      return at;
    }
    if (builder.stride === 2 && !Number.isNaN(element.z)) builder.widen('XYZ');
    builder.position(element.x, element.y, element.z);
    const count = builder.positionCount - this.#lineStart;
    if ((count & CHECKED) === 0) this.#checkCount(count);
    return at;
  }

  /** Throws LIMIT_EXCEEDED if the line has too many positions. */
  #checkCount(count: number): void {
    const limit = this.#limits.coordinatesPerFeature;
    if (count <= limit) return;
    const [what, setting] = ['the number of positions of a feature', 'MAX_FEATURE_COORDINATES'];
    throw failure(generalErrors.LIMIT_EXCEEDED, { what, actual: `more than ${limit}`, limit, setting });
  }
}
