/** Reads the objects of a .map. Types 1, 4, 7, ... are the compressed forms of 2, 5, 8, ...: their coordinates are relative and have 16 bits. */
import { textDecoder } from '@geomill/core/bytes/text-encoding.ts';
import { PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import type { CoordinateStream, MapFile } from './map-file.ts';
import { MapRecord } from './map-record.ts';
import type { MapTools } from './map-tools.ts';
import type { ObjectBuilder } from './object-builder.ts';
import { noStyle, type ObjectStyle } from './styles.ts';
import { type MapText, textPlace } from './text-columns.ts';

const TYPE = {
  symbol: 0x02,
  line: 0x05,
  pline: 0x08,
  arc: 0x0b,
  region: 0x0e,
  text: 0x11,
  rect: 0x14,
  roundRect: 0x17,
  ellipse: 0x1a,
  multiPline: 0x26,
  fontSymbol: 0x29,
  customSymbol: 0x2c,
  region450: 0x2f,
  multiPline450: 0x32,
  multiPoint: 0x35,
  collection: 0x38,
  region800: 0x3e,
  multiPline800: 0x41,
  multiPoint800: 0x44,
  collection800: 0x47,
} as const;

/** Bytes of the offset of points in a section that the head of each section takes, also where it is compressed. */
const STATED_HEAD = 24;
const STATED_HEAD_450 = 28;
const STATED_POINT = 8;
const SMOOTH_BIT = 0x80000000;
const BYTES_BEFORE_SYMBOL = 15;
const BYTES_OF_800 = 33;
const TENTHS = 10;

/** Versions of objects: of the first ones, of those with more vertices, of those with more sections. */
type Form = 300 | 450 | 800;

export class MapObjects {
  /** Of the object that was read last. */
  text: MapText | null = null;
  style: ObjectStyle = noStyle();
  readonly #map: MapFile;
  readonly #builder: ObjectBuilder;
  readonly #tools: MapTools | null;
  readonly #decode: (bytes: Uint8Array) => string;
  readonly #refuse: (reason: string) => never;
  readonly #record: MapRecord;

  constructor(
    map: MapFile,
    builder: ObjectBuilder,
    { tools, encoding }: { readonly tools: MapTools | null; readonly encoding: string },
    refuse: (reason: string) => never,
  ) {
    this.#map = map;
    this.#builder = builder;
    this.#tools = tools;
    const decode = textDecoder(encoding);
    this.#decode = (bytes) => decode(bytes, 0, bytes.length);
    this.#refuse = refuse;
    this.#record = new MapRecord(map.header);
  }

  /** Reads the object at an offset of the .map; `record`: its number in the partition. */
  read(offset: number, record: number): void {
    this.text = null;
    this.style = noStyle();
    const { type, view, centreX, centreY } = this.#map.object(offset);
    const isCompressed = type % 3 === 1;
    this.#record.begin(view, isCompressed, centreX, centreY);
    try {
      this.#member(isCompressed ? type + 1 : type);
    } catch (error) {
      if (error instanceof RangeError)
        this.#refuse(`the object at byte ${offset} is shorter than its type needs`);
      throw error;
    }
    this.#builder.endObject(record);
  }

  #member(type: number): void {
    switch (type) {
      case TYPE.symbol: {
        const [x, y] = this.#record.pair();
        this.#builder.point(this.#record.x(x), this.#record.y(y));
        this.#setSymbol();
        return;
      }
      case TYPE.fontSymbol: {
        this.#record.at += 2 + 2 + 3 + 3 + 2;
        const [x, y] = this.#record.pair();
        this.#builder.point(this.#record.x(x), this.#record.y(y));
        return;
      }
      case TYPE.customSymbol: {
        this.#record.at += 2;
        const [x, y] = this.#record.pair();
        this.#builder.point(this.#record.x(x), this.#record.y(y));
        return;
      }
      case TYPE.line: {
        const [x1, y1, x2, y2] = this.#record.box();
        this.#builder.line(x1, y1, x2, y2);
        this.#setPen();
        return;
      }
      case TYPE.pline:
        this.#pline();
        return;
      case TYPE.arc:
        this.#arc();
        return;
      case TYPE.rect: {
        const [x1, y1, x2, y2] = this.#record.box();
        this.#builder.rectangle(x1, y1, x2, y2);
        this.#penAndBrush();
        return;
      }
      case TYPE.roundRect: {
        const [width, height] = [this.#record.length(0), this.#record.length(1)];
        const [x1, y1, x2, y2] = this.#record.box();
        this.#builder.roundRectangle(x1, y1, x2, y2, width, height);
        this.#penAndBrush();
        return;
      }
      case TYPE.ellipse: {
        const [x1, y1, x2, y2] = this.#record.box();
        this.#builder.ellipse(x1, y1, x2, y2);
        this.#penAndBrush();
        return;
      }
      case TYPE.text:
        this.#text();
        return;
      case TYPE.region:
        this.#sections('region', 300);
        return;
      case TYPE.region450:
        this.#sections('region', 450);
        return;
      case TYPE.region800:
        this.#sections('region', 800);
        return;
      case TYPE.multiPline:
        this.#sections('lines', 300);
        return;
      case TYPE.multiPline450:
        this.#sections('lines', 450);
        return;
      case TYPE.multiPline800:
        this.#sections('lines', 800);
        return;
      case TYPE.multiPoint:
        this.#multiPoint(0);
        return;
      case TYPE.multiPoint800:
        this.#multiPoint(BYTES_OF_800);
        return;
      case TYPE.collection:
        this.#collection(450);
        return;
      case TYPE.collection800:
        this.#collection(800);
        return;
      default:
        this.#refuse(`an object of the unknown type ${type}`);
    }
  }

  #setSymbol(): void {
    const number = this.#record.u8();
    this.style.symbol = this.#tools?.symbol(number) ?? null;
  }

  #setPen(): void {
    const number = this.#record.u8();
    this.style.pen = this.#tools?.pen(number) ?? null;
  }

  #penAndBrush(): void {
    this.#setPen();
    const number = this.#record.u8();
    this.style.brush = this.#tools?.brush(number) ?? null;
  }

  /** Label point, origin and box of an object with vertices: these are relative to the origin if they are compressed. */
  #head(): void {
    if (!this.#record.isCompressed) {
      this.#record.at += 24;
      return;
    }
    this.#record.at += 4;
    this.#record.originX = this.#record.i32();
    this.#record.originY = this.#record.i32();
    this.#record.at += 8;
  }

  get #pointBytes(): number {
    return this.#record.isCompressed ? 4 : 8;
  }

  #positions(view: DataView, start: number, count: number): void {
    this.#builder.expect(count);
    const isCompressed = this.#record.isCompressed;
    for (let i = 0, at = start; i < count; i++, at += this.#pointBytes) {
      const x = isCompressed ? this.#record.originX + view.getInt16(at, true) : view.getInt32(at, true);
      const y = isCompressed
        ? this.#record.originY + view.getInt16(at + 2, true)
        : view.getInt32(at + 4, true);
      this.#builder.position(this.#record.x(x), this.#record.y(y));
    }
  }

  #pline(): void {
    const pointer = this.#record.i32();
    const bytes = (this.#record.i32() & ~SMOOTH_BIT) >>> 0;
    this.#head();
    this.#setPen();
    const count = Math.floor(bytes / this.#pointBytes);
    this.#builder.expect(count);
    const first = this.#builder.partCount;
    this.#positions(this.#map.coordinates(pointer).read(count * this.#pointBytes), 0, count);
    this.#builder.endLine();
    this.#builder.endMember(PART_KIND.line, first, false);
  }

  #sections(kind: 'region' | 'lines', form: Form): void {
    const pointer = this.#record.i32();
    this.#record.i32();
    const count = form === 800 ? this.#record.i32() : this.#record.i16();
    if (form === 800) this.#record.at += BYTES_OF_800;
    this.#head();
    if (kind === 'region') this.#penAndBrush();
    else this.#setPen();
    this.#readSections(this.#map.coordinates(pointer), kind, form, count);
  }

  #readSections(stream: CoordinateStream, kind: 'region' | 'lines', form: Form, count: number): void {
    const headBytes =
      (form >= 450 ? 4 : 2) + (form === 800 ? 4 : 2) + (this.#record.isCompressed ? 8 : 16) + 4;
    if (count < 0) this.#refuse(`an object states ${count} sections`);
    const heads = stream.read(count * headBytes);
    const stated = form >= 450 ? STATED_HEAD_450 : STATED_HEAD;
    const sections = Array.from({ length: count }, (_, i) => {
      const at = i * headBytes;
      const vertices = form >= 450 ? heads.getInt32(at, true) : heads.getUint16(at, true);
      const first = (heads.getInt32(at + headBytes - 4, true) - count * stated) / STATED_POINT;
      return { vertices, first };
    });
    const total = sections.reduce((sum, { vertices }) => sum + vertices, 0);
    if (
      sections.some(
        ({ vertices, first }) => vertices < 0 || !(first >= 0) || first + vertices > total || first % 1 !== 0,
      )
    )
      this.#refuse('the sections of an object contradict its number of vertices');
    this.#builder.expect(total);
    const points = stream.read(total * this.#pointBytes);
    const builder = this.#builder;
    if (kind === 'region') {
      builder.beginRegion();
      for (const { vertices, first } of sections) {
        this.#positions(points, first * this.#pointBytes, vertices);
        builder.endRing();
      }
      builder.endRegion();
      return;
    }
    const firstPart = builder.partCount;
    for (const { vertices, first } of sections) {
      this.#positions(points, first * this.#pointBytes, vertices);
      builder.endLine();
    }
    builder.endMember(PART_KIND.line, firstPart, true);
  }

  #multiPoint(more: number): void {
    const pointer = this.#record.i32();
    const count = this.#record.i32();
    this.#record.at += BYTES_BEFORE_SYMBOL + more;
    this.#setSymbol();
    this.#record.at++;
    this.#head();
    this.#readPoints(this.#map.coordinates(pointer), count);
  }

  #readPoints(stream: CoordinateStream, count: number): void {
    if (count < 0) this.#refuse(`an object states ${count} points`);
    this.#builder.expect(count);
    const points = stream.read(count * this.#pointBytes);
    const first = this.#builder.partCount;
    for (let i = 0; i < count; i++) {
      this.#positions(points, i * this.#pointBytes, 1);
      this.#builder.endPoint();
    }
    this.#builder.endMember(PART_KIND.point, first, true);
  }

  #collection(form: Form): void {
    const pointer = this.#record.i32();
    const points = this.#record.i32();
    const regionBytes = this.#record.i32();
    const lineBytes = this.#record.i32();
    const sections = (): number => (form === 800 ? this.#record.i32() : this.#record.i16());
    const [regions, lines] = [sections(), sections()];
    this.#record.at += BYTES_BEFORE_SYMBOL + (form === 800 ? 1 : 0) + 5;
    if (this.#record.isCompressed) {
      this.#record.originX = this.#record.i32();
      this.#record.originY = this.#record.i32();
    }
    const stream = this.#map.coordinates(pointer);
    const skipHead = (hasCount: boolean): void => {
      stream.read((form === 800 && hasCount ? 4 : 0) + (this.#record.isCompressed ? 12 : 24));
    };
    if (regionBytes > 0 && regions > 0) {
      skipHead(true);
      this.#readSections(stream, 'region', form, regions);
    }
    if (lineBytes > 0 && lines > 0) {
      skipHead(true);
      this.#readSections(stream, 'lines', form, lines);
    }
    if (points > 0) {
      skipHead(false);
      this.#readPoints(stream, points);
    }
  }

  /** Angles are those of the quadrant in which coordinates grow. */
  #arc(): void {
    let [from, to] = [this.#record.i16() / TENTHS, this.#record.i16() / TENTHS];
    const [x1, y1, x2, y2] = this.#record.box();
    this.#record.box();
    this.#setPen();
    if (this.#record.isXReversed !== this.#record.isYReversed) [from, to] = [to, from];
    const mirrored = (angle: number): number => (angle <= 180 ? 180 - angle : 540 - angle);
    if (this.#record.isXReversed) [from, to] = [mirrored(from), mirrored(to)];
    if (this.#record.isYReversed) [from, to] = [360 - from, 360 - to];
    this.#builder.arc(x1, y1, x2, y2, from, to);
  }

  #text(): void {
    const pointer = this.#record.i32();
    const length = this.#record.i16();
    this.#record.i16();
    const angleDegrees = this.#record.i16() / TENTHS;
    this.#record.at += 2 + 3 + 3;
    this.#record.pair();
    const height = this.#record.length(1);
    this.#record.u8();
    const box = this.#record.box();
    const bytes = length <= 0 ? new Uint8Array(0) : this.#map.coordinates(pointer).read(length);
    const text = this.#decode(new Uint8Array(bytes.buffer)).replaceAll('\0', '');
    this.text = { text, height, angleDegrees };
    const [x, y] = textPlace(box, height, angleDegrees);
    this.#builder.point(x, y);
  }
}
