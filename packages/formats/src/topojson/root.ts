/** Reads a topology once: its members, the memory of its arcs, and where the features of its objects are. */
import { GeometryBuilder, PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import { PositionParser } from '@geomill/core/geometry/json-positions.ts';
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { OPEN_BRACE, OPEN_BRACKET } from '@geomill/core/text/ascii.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { JsonCursor } from '@geomill/io/json-cursor.ts';
import { JsonWindow } from '@geomill/io/json-window.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import { lookBeside, lookOf } from '../recognise.ts';
import { ArcStore } from './arc-store.ts';
import { TOPOJSON } from './dialect.ts';
import { topojsonErrors } from './messages.ts';
import { readObject, type TopologyObject } from './objects.ts';
import type { Transform } from './state.ts';

const HEAD_BYTES = 1 << 20;
/** The text of a transform or of a CRS. */
const MAX_MEMBER_BYTES = 1 << 16;
/** Positions after which arcs are moved to the shared memory. */
const BLOCK_POSITIONS = 1 << 15;
const BLOCK_ARCS = 1 << 13;
const MAX_FOREIGN_NAMES = 20;

export interface Root {
  readonly arcs: ArcStore;
  readonly transform: Transform | null;
  readonly objects: readonly TopologyObject[];
  /** JSON texts of `crs` members. */
  readonly crsTexts: readonly string[];
  /** The first names of members that the specification does not name, and the number of all of them. */
  readonly foreign: { readonly names: readonly string[]; readonly count: number };
}

/** Throws INPUT_EMPTY, INPUT_WRONG_FORMAT, TEXT_ENCODING_INVALID, TOPOJSON_ codes. */
export function readRoot(source: ByteSource, fileName: string, limits: InputLimits): Root {
  if (source.byteLength === 0) throw failure(generalErrors.INPUT_EMPTY, { source: fileName });
  const window = new JsonWindow(source, fileName, TOPOJSON);
  window.load(0, HEAD_BYTES);
  return new RootReader(window, source, fileName, limits).read();
}

class RootReader {
  readonly #window: JsonWindow;
  readonly #cursor: JsonCursor;
  readonly #fileName: string;
  readonly #limits: InputLimits;
  readonly #arcs: ArcStore;
  readonly #objects: TopologyObject[] = [];
  readonly #crsTexts: string[] = [];
  readonly #foreign: string[] = [];
  readonly #seen = new Set<string>();
  #foreignCount = 0;
  #type: string | null = null;
  #transform: Transform | null = null;

  constructor(window: JsonWindow, source: ByteSource, fileName: string, limits: InputLimits) {
    this.#window = window;
    this.#cursor = new JsonCursor(window);
    this.#fileName = fileName;
    this.#limits = limits;
    this.#arcs = new ArcStore(fileName, source.byteLength);
  }

  read(): Root {
    const cursor = this.#cursor;
    const { bytes } = this.#window.scanner;
    // What another format the file looks like is asked only of its head, which the window has now.
    const head = bytes.subarray(0, Math.min(4096, this.#window.scanner.limit));
    const look = lookOf(head);
    const besides = lookBeside('TopoJSON', head);
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) cursor.step((at) => at + 3);
    if (cursor.peek() !== OPEN_BRACE) throw this.#wrongFormat(look);
    const { offset } = cursor;
    cursor.object((key) => this.#member(key, look));
    if (cursor.peek() !== 0) cursor.refuse('there is text after the end of the topology');
    if (this.#type === null)
      throw this.#wrongFormat(look === 'JSON' ? "JSON whose object has no 'type'" : besides);
    if (!this.#seen.has('objects'))
      throw failure(
        topojsonErrors.TOPOJSON_STRUCTURE,
        { offset, reason: "this topology has no 'objects'" },
        { offset },
      );
    return {
      arcs: this.#arcs,
      transform: this.#transform,
      objects: this.#objects,
      crsTexts: this.#crsTexts,
      foreign: { names: this.#foreign, count: this.#foreignCount },
    };
  }

  #member(key: string, look: string): void {
    const cursor = this.#cursor;
    if (key === 'arcs' || key === 'objects') {
      if (this.#seen.has(key)) cursor.refuse(`the member '${key}' came twice`);
      // A text of another format may have a member of this name, and anything in it.
      if (this.#type === null && look !== 'TopoJSON' && look !== 'JSON') throw this.#wrongFormat(look);
      this.#seen.add(key);
    }
    if (key === 'type') this.#readType(look);
    else if (key === 'transform') this.#readTransform();
    else if (key === 'arcs') this.#readArcs();
    else if (key === 'objects') this.#readObjects();
    else if (key === 'crs') this.#crsTexts.push(cursor.text("the 'crs'", MAX_MEMBER_BYTES));
    else {
      if (key !== 'bbox') this.#noteForeign(key);
      cursor.skip();
    }
  }

  #noteForeign(key: string): void {
    if (this.#foreign.length < MAX_FOREIGN_NAMES) this.#foreign.push(key);
    this.#foreignCount++;
  }

  #readType(look: string): void {
    const type = this.#json("the 'type'");
    if (type === 'Topology') this.#type = type;
    else
      throw this.#wrongFormat(
        look === 'TopoJSON' || look === 'JSON'
          ? `JSON of the type ${JSON.stringify(type)?.slice(0, 40)}`
          : look,
      );
  }

  /** A transform that is null counts as missing. */
  #readTransform(): void {
    const cursor = this.#cursor;
    const { offset } = cursor;
    const value = this.#json("the 'transform'");
    const { scale, translate } = (value ?? {}) as { scale?: unknown; translate?: unknown };
    if (value === null) this.#transform = null;
    else if (isPair(scale) && isPair(translate)) this.#transform = { scale, translate, offset };
    else {
      const reason = "'transform' needs a 'scale' and a 'translate' of two numbers each";
      throw failure(topojsonErrors.TOPOJSON_STRUCTURE, { offset, reason }, { offset });
    }
  }

  #json(what: string): unknown {
    return JSON.parse(this.#cursor.text(what, MAX_MEMBER_BYTES));
  }

  #readObjects(): void {
    const cursor = this.#cursor;
    if (cursor.peek() !== OPEN_BRACE) cursor.refuse("'objects' must be an object");
    cursor.object((name) => this.#objects.push(readObject(cursor, name)));
  }

  /** Parses all arcs, a few thousand at a time in memory of their own. */
  #readArcs(): void {
    const cursor = this.#cursor;
    const builder = new GeometryBuilder('XY', 8, BLOCK_POSITIONS * 2);
    const positions = new PositionParser(cursor.scanner, builder, this.#limits.coordinatesPerFeature);
    const counts = new Uint32Array(BLOCK_ARCS);
    let count = 0;
    const flush = (): void => {
      this.#arcs.append(builder.coordinates, builder.coordinateLength, builder.dimensions, counts, count);
      builder.rewind(0);
      count = 0;
    };
    const parse = (at: number): number => {
      builder.rewind(builder.partCount);
      const before = builder.positionCount;
      positions.featureStart = before;
      const end = positions.list(at);
      positions.checkCount();
      counts[count] = builder.positionCount - before;
      builder.endRing();
      builder.endPart(PART_KIND.line);
      return end;
    };
    if (cursor.peek() !== OPEN_BRACKET) cursor.refuse("'arcs' must be an array");
    cursor.array(() => {
      cursor.step(parse);
      if (++count === BLOCK_ARCS || builder.positionCount >= BLOCK_POSITIONS) flush();
    });
    flush();
  }

  #wrongFormat(found: string): GeomillError {
    return failure(generalErrors.INPUT_WRONG_FORMAT, { source: this.#fileName, expected: 'TopoJSON', found });
  }
}

function isPair(value: unknown): value is [number, number] {
  return Array.isArray(value) && value.length >= 2 && Number.isFinite(value[0]) && Number.isFinite(value[1]);
}
