/** The .map of a table: blocks of objects, and chains of blocks of coordinates. */
import { failure } from '@geomill/core/messages/errors.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import type { CoordSys } from './coord-sys.ts';
import { ellipsoidById, mapInfoDatums } from './datums.ts';
import { mapInfoErrors } from './messages.ts';

const HEADER_BYTES = 1024;
const LEAST_HEADER = 512;
const MAGIC = 42424242;
const OBJECT_BLOCK = 2;
const COORDINATE_BLOCK = 3;
const OBJECT_HEAD = 20;
const COORDINATE_HEAD = 8;
const LENGTH_MASK = 0x7f;
const BLOCK_UNIT = 512;

/** Plain data: sent to the workers. */
export interface MapHeader {
  readonly version: number;
  readonly blockBytes: number;
  /** Bytes of the record of an object, by its type; 0: none is known. */
  readonly lengths: readonly number[];
  /** 1 to 4, or 0, which is as 3. */
  readonly quadrant: number;
  readonly scale: readonly [x: number, y: number];
  readonly displacement: readonly [x: number, y: number];
  readonly system: CoordSys;
}

/** Throws MAPINFO_FILE. */
export function readMapHeader(source: ByteSource, file: string): MapHeader {
  const refuse = (reason: string): never => {
    throw failure(mapInfoErrors.MAPINFO_FILE, { file, reason });
  };
  const bytes = source.slice(0, HEADER_BYTES);
  if (bytes.length < LEAST_HEADER) refuse('it has no complete head; was it cut off?');
  const view = new DataView(bytes.buffer);
  if (view.getInt32(0x100, true) !== MAGIC) refuse('it has no head of a .map');
  const blockBytes = view.getUint16(0x106, true);
  if (blockBytes === 0 || blockBytes % BLOCK_UNIT !== 0) refuse(`its blocks have ${blockBytes} bytes`);
  const version = view.getInt16(0x104, true);
  const isOld = version <= 100;
  const decimals = view.getUint8(0x160);
  const double = (at: number): number => view.getFloat64(at, true);
  const scale: [number, number] = isOld ? [10 ** decimals, 10 ** decimals] : [double(0x170), double(0x178)];
  const displacement: [number, number] = isOld ? [0, 0] : [double(0x180), double(0x188)];
  if (![...scale, ...displacement].every(Number.isFinite) || scale[0] === 0 || scale[1] === 0)
    refuse('its head has no scale of the coordinates');
  return {
    version,
    blockBytes,
    lengths: Array.from(bytes.subarray(0, 256), (length) => length & LENGTH_MASK),
    quadrant: view.getUint8(0x161),
    scale,
    displacement,
    system: systemOf(view, version, bytes.length),
  };
}

const PROJECTION_WITH_RECTIFIED_ANGLE = 35;
const UNIT_METRES = 7;

function systemOf(view: DataView, version: number, headerBytes: number): CoordSys {
  const double = (at: number): number => view.getFloat64(at, true);
  const projection = view.getUint8(0x16d);
  const ellipsoid = view.getUint8(0x16e);
  const unit = view.getUint8(0x16f);
  if (projection === 0) return { kind: 'plan', unit };
  const id = version >= 500 ? view.getInt16(0x16a, true) : 0;
  const shift = [0x1c0, 0x1c8, 0x1d0].map(double);
  if (version > 200) shift.push(...[0x1d8, 0x1e0, 0x1e8, 0x1f0, 0x1f8].map(double));
  const known = mapInfoDatums().get(id);
  const isKnown =
    id > 0 && known !== undefined && (known.ellipsoid === ellipsoid || ellipsoidById(ellipsoid) === null);
  const parameters = [0x190, 0x198, 0x1a0, 0x1a8, 0x1b0, 0x1b8].map(double);
  if (projection === PROJECTION_WITH_RECTIFIED_ANGLE && headerBytes >= 0x270) parameters.push(double(0x268));
  return {
    kind: 'earth',
    projection,
    datum: isKnown ? id : { ellipsoid, shift: shift.map((value) => (Math.abs(value) < 1e-10 ? 0 : value)) },
    unit: projection === 1 ? null : (unit ?? UNIT_METRES),
    parameters,
    hasAffine: version >= 500 && headerBytes > LEAST_HEADER && view.getUint8(0x200) === 1,
  };
}

const PAGE_BYTES = 1 << 16;
/** Pages kept in memory: objects of neighbouring rows are often in the same blocks. */
const MAX_PAGES = 256;

/** Bytes of the file by their offsets, with the pages that were read last. */
class Pages {
  readonly #source: ByteSource;
  readonly #pages = new Map<number, DataView>();

  constructor(source: ByteSource) {
    this.#source = source;
  }

  get byteLength(): number {
    return this.#source.byteLength;
  }

  /** Copies `target.length` bytes from `offset`, all of which are in the file. */
  copy(target: Uint8Array, offset: number): void {
    for (let done = 0; done < target.length; ) {
      const at = offset + done;
      const page = this.#page(Math.floor(at / PAGE_BYTES));
      const from = at % PAGE_BYTES;
      const count = Math.min(target.length - done, page.byteLength - from);
      target.set(new Uint8Array(page.buffer, page.byteOffset + from, count), done);
      done += count;
    }
  }

  #page(number: number): DataView {
    const kept = this.#pages.get(number);
    if (kept !== undefined) return kept;
    const bytes = this.#source.slice(number * PAGE_BYTES, (number + 1) * PAGE_BYTES);
    const page = new DataView(bytes.buffer);
    if (this.#pages.size >= MAX_PAGES) this.#pages.delete(this.#pages.keys().next().value as number);
    this.#pages.set(number, page);
    return page;
  }
}

/** An object as its block has it. */
export interface ObjectRecord {
  readonly type: number;
  /** After type and id. */
  readonly view: DataView;
  /** Of the block: compressed coordinates are relative to it. */
  readonly centreX: number;
  readonly centreY: number;
}

export class MapFile {
  readonly header: MapHeader;
  readonly #pages: Pages;
  readonly #refuse: (reason: string) => never;
  readonly #head = new Uint8Array(OBJECT_HEAD);
  readonly #headView = new DataView(this.#head.buffer);

  /** `refuse` throws the error of the row that is being read. */
  constructor(source: ByteSource, header: MapHeader, refuse: (reason: string) => never) {
    this.header = header;
    this.#pages = new Pages(source);
    this.#refuse = refuse;
  }

  /** The object at an offset in the file. */
  object(offset: number): ObjectRecord {
    const { blockBytes, lengths } = this.header;
    const block = offset - (offset % blockBytes);
    this.#readHead(block, OBJECT_BLOCK, 'objects');
    const centreX = this.#headView.getInt32(4, true);
    const centreY = this.#headView.getInt32(8, true);
    const type = this.bytes(offset, 1)[0];
    const length = lengths[type];
    if (length < 5) this.#refuse(`an object of the unknown type ${type} at byte ${offset}`);
    const record = this.bytes(offset, length);
    return { type, view: new DataView(record.buffer, 5), centreX, centreY };
  }

  bytes(offset: number, count: number): Uint8Array<ArrayBuffer> {
    if (offset < 0 || offset + count > this.#pages.byteLength)
      this.#refuse(`bytes ${offset} to ${offset + count} are behind the end of the .map; was it cut off?`);
    const bytes = new Uint8Array(count);
    this.#pages.copy(bytes, offset);
    return bytes;
  }

  /** Reads coordinates from a pointer on, through the chain of blocks. */
  coordinates(pointer: number): CoordinateStream {
    const { blockBytes } = this.header;
    const refuse = this.#refuse;
    let block = pointer - (pointer % blockBytes);
    let at = pointer === block ? block + COORDINATE_HEAD : pointer;
    const visited = new Set<number>();
    return {
      read: (count) => {
        if (count < 0 || count > this.#pages.byteLength)
          refuse(`it states ${count} bytes of coordinates, and the .map has ${this.#pages.byteLength}`);
        const bytes = new Uint8Array(count);
        for (let done = 0; done < count; ) {
          this.#readHead(block, COORDINATE_BLOCK, 'coordinates');
          const filled = block + COORDINATE_HEAD + this.#headView.getUint16(2, true);
          const end = Math.min(filled, block + blockBytes, this.#pages.byteLength);
          const next = this.#headView.getInt32(4, true);
          const part = Math.min(count - done, Math.max(0, end - at));
          this.#pages.copy(bytes.subarray(done, done + part), at);
          done += part;
          at += part;
          if (done === count) break;
          if (next <= 0 || next % blockBytes !== 0)
            refuse('a chain of blocks of coordinates ends before the last one');
          visited.add(block);
          if (visited.has(next)) refuse('blocks of coordinates are chained in a circle');
          block = next;
          at = block + COORDINATE_HEAD;
        }
        return new DataView(bytes.buffer);
      },
    };
  }

  #readHead(block: number, type: number, what: string): void {
    if (block < 0 || block + OBJECT_HEAD > this.#pages.byteLength)
      this.#refuse(`the block at byte ${block} is behind the end of the .map; was it cut off?`);
    this.#pages.copy(this.#head, block);
    if (this.#head[0] !== type) this.#refuse(`the block at byte ${block} is none of ${what}`);
  }
}

export interface CoordinateStream {
  /** The next bytes. */
  read(count: number): DataView<ArrayBuffer>;
}
