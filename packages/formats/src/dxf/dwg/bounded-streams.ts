/**
 * Streams for the parser that fail instead of reading on after the end of their bytes, or for ever: a damaged count would otherwise
 * let it make values out of nothing until the memory is full.
 */
import {
  DwgStreamReaderAC12,
  DwgStreamReaderAC15,
  DwgStreamReaderAC18,
  DwgStreamReaderAC21,
  DwgStreamReaderAC24,
  registerStreamReader,
} from '@node-projects/acad-ts';

/** The parser looks ahead by a few bytes, and at texts that are not there. */
const OVERRUN_BYTES = 64;
/** Steps for each byte of a drawing. Real drawings take less than one: an object, its texts and its handles are read side by side. */
const PASSES = 4;
const LEAST_STEPS = 1 << 20;
/** Reading the number of an object takes as long as reading so many bytes. */
const HANDLE_STEPS = 8;
/** The parser counts on from the greatest number, which has to be exact. */
const MAX_HANDLE = 2 ** 52;

/** Steps that are left for the drawing that is being parsed. Parsing is synchronous: there is one at a time. */
let stepsLeft = 0;
/** Offset after the object that is being read. */
let objectEnd = Number.POSITIVE_INFINITY;

export class StreamEnd extends Error {}

/** Begins a drawing whose sections have `byteLength` bytes in all. */
export function allowSteps(byteLength: number): void {
  stepsLeft = byteLength * PASSES + LEAST_STEPS;
  objectEnd = Number.POSITIVE_INFINITY;
}

/** Until the next call, streams end there: at the end of an object, or of their bytes. */
export function endStreamsAt(end: number): void {
  objectEnd = end;
}

/** Whether the parser was stopped, by an error that it may have caught. */
export function isExhausted(): boolean {
  return stepsLeft < 0;
}

const double = new DataView(new ArrayBuffer(8));

type HandleReference = ReturnType<DwgStreamReaderAC12['handleReferenceWithRefAndType']>;
type StreamClass = new (stream: Uint8Array, resetPosition: boolean) => DwgStreamReaderAC12;

/** The texts of UTF-16 and of code pages; to make one for each text takes longer than to decode it. */
const decoders = new Map<string, TextDecoder>();

function decoderOf(encoding: string): TextDecoder {
  let decoder = decoders.get(encoding);
  if (decoder === undefined) {
    decoder = new TextDecoder(encoding);
    decoders.set(encoding, decoder);
  }
  return decoder;
}

function bounded(Base: StreamClass): StreamClass {
  return class extends Base {
    override readByte(): number {
      this.#step(1);
      return super.readByte();
    }

    override advanceByte(): void {
      this.#step(1);
      super.advanceByte();
    }

    override readBytes(length: number): Uint8Array {
      this.#step(length);
      return super.readBytes(length);
    }

    override handleReferenceWithRefAndType(referenceHandle: number): HandleReference {
      stepsLeft -= HANDLE_STEPS;
      const found = super.handleReferenceWithRefAndType(referenceHandle);
      if (!(found.handle <= MAX_HANDLE)) throw new StreamEnd(`it refers to object ${found.handle}`);
      return found;
    }

    /** As in the parser, without an array for each number. */
    override readDouble(): number {
      for (let i = 0; i < 8; i++) double.setUint8(i, this.readByte());
      return double.getFloat64(0, true);
    }

    /** A number that shares bytes with the one before it; the parser makes eight arrays for each. */
    override readBitDoubleWithDefault(before: number): number {
      const form = this.read2Bits();
      if (form === 0) return before;
      if (form === 3) return this.readDouble();
      double.setFloat64(0, before, true);
      if (form === 2) for (let i = 4; i < 6; i++) double.setUint8(i, this.readByte());
      for (let i = 0; i < 4; i++) double.setUint8(i, this.readByte());
      return double.getFloat64(0, true);
    }

    override readStringEncoded(length: number, encoding: string): string {
      return decoderOf(encoding).decode(this.readBytes(length));
    }

    /** Throws StreamEnd if there are no `count` bytes, or the drawing was read too often. */
    #step(count: number): void {
      stepsLeft -= count;
      if (stepsLeft < 0) throw new StreamEnd('its objects refer to the same bytes again and again');
      const end = Math.min(objectEnd, this._stream.length) + OVERRUN_BYTES;
      if (!(this._position + count <= end && count >= 0)) throw new StreamEnd('it ends within a value');
    }
  };
}

/** Replaces the streams of the parser. */
export function boundStreams(): void {
  registerStreamReader('AC12', bounded(DwgStreamReaderAC12));
  registerStreamReader('AC15', bounded(DwgStreamReaderAC15));
  registerStreamReader('AC18', bounded(DwgStreamReaderAC18));
  registerStreamReader('AC21', bounded(DwgStreamReaderAC21));
  registerStreamReader('AC24', bounded(DwgStreamReaderAC24));
}
