/**
 * `Run` of cell-layout.ts as WebAssembly: the same operations in the same order as in JavaScript, so the same results, but x and y at once
 * (SIMD), and almost at once in optimised code. V8 optimises a function of this size in JavaScript late, and again in each thread.
 */
import { CELL, type Run, SLOT_BITS, SLOTS_AT } from './cell-layout.ts';
import { DEGREE } from './polynomial.ts';

/** Local variables; the first five are the parameters of `Run`. */
const AT = 0;
const END = 1;
const STRIDE = 2;
const SLOTS_PER_UNIT = 3;
const RECORD = 4;
const XY = 5;
const U = 6;
const V = 7;

const I32 = 0x7f;
const F64 = 0x7c;
const V128 = 0x7b;
const EMPTY_BLOCK = 0x40;
const I32_LOAD = 0x28;
const ALIGNED_4 = 2;
const ALIGNED_8 = 3;

/** Bytes; nested as the code is put together. */
type Code = readonly (number | Code)[];

const get = (local: number): Code => [0x20, local];
const set = (local: number): Code => [0x21, local];
const constant = (value: number): Code => [0x41, value];
const branch = (depth: number): Code => [0x0c, depth];
const branchIf = (depth: number): Code => [0x0d, depth];
const BLOCK = [0x02, EMPTY_BLOCK];
const LOOP = [0x03, EMPTY_BLOCK];
const IF = [0x04, EMPTY_BLOCK];
const END_BLOCK = 0x0b;
const I32_EQZ = 0x45;
const I32_GE_U = 0x4f;
const I32_ADD = 0x6a;
const I32_AND = 0x71;
const I32_OR = 0x72;
const I32_SHL = 0x74;

const vector = (code: number): Code => [0xfd, leb(code)];
const F64X2_SPLAT = vector(0x14);
const F64X2_LT = vector(0x49);
const F64X2_GE = vector(0x4c);
const V128_AND = vector(0x4e);
const F64X2_FLOOR = vector(0x75);
const I64X2_ALL_TRUE = vector(0xc3);
const F64X2_ADD = vector(0xf0);
const F64X2_SUB = vector(0xf1);
const F64X2_MUL = vector(0xf2);
const I32X4_TRUNC_SAT_F64X2 = vector(0xfc);
const ofLane = (lane: number): Code => [vector(0x1b), lane];
/** Both lanes become one lane of the vector. */
const bothOf = (local: number, lane: number): Code => {
  const bytes = Array.from({ length: 8 }, (_, byte) => lane * 8 + byte);
  return [get(local), get(local), vector(0x0d), bytes, bytes];
};
const load = (offset: number): Code => [vector(0x00), ALIGNED_8, leb(offset)];
const loadBoth = (offset: number): Code => [vector(0x0a), ALIGNED_8, leb(offset)];
const STORE = [vector(0x0b), ALIGNED_8, 0];
const field = (offset: number): Code => [get(RECORD), load(offset)];
const scalarField = (offset: number): Code => [get(RECORD), loadBoth(offset)];

/** Whether the position is in the cell of the record. */
const IS_INSIDE = [
  [get(XY), field(CELL.southWest), F64X2_GE],
  [get(XY), field(CELL.northEast), F64X2_LT],
  [V128_AND, I64X2_ALL_TRUE],
];

/** The record of the slot of the position: of the low bits of the column and the row of the smallest cell. */
const lowBits = (lane: number): Code => [get(U), ofLane(lane), constant((1 << SLOT_BITS) - 1), I32_AND];
const FIND_RECORD = [
  [get(XY), get(SLOTS_PER_UNIT), F64X2_SPLAT, F64X2_MUL, F64X2_FLOOR, I32X4_TRUNC_SAT_F64X2, set(U)],
  [lowBits(1), constant(SLOT_BITS), I32_SHL, lowBits(0), I32_OR],
  [constant(2), I32_SHL, I32_LOAD, ALIGNED_4, leb(SLOTS_AT), set(RECORD)],
];

/** By Horner's scheme from the innermost term on, so that few values wait in registers. */
function polynomial(ofV = 0): Code {
  const first = CELL.coefficients + 16 * termsBefore(ofV);
  const last = first + 16 * (DEGREE - ofV);
  const row = [field(last)];
  for (let at = last - 16; at >= first; at -= 16) row.push([get(U), F64X2_MUL, field(at), F64X2_ADD]);
  return ofV === DEGREE ? row : [row, polynomial(ofV + 1), get(V), F64X2_MUL, F64X2_ADD];
}

function termsBefore(ofV: number): number {
  return ofV * (DEGREE + 1) - (ofV * (ofV - 1)) / 2;
}

const TRANSFORM = [
  [get(XY), field(CELL.origin), F64X2_SUB, scalarField(CELL.half), F64X2_SUB],
  [scalarField(CELL.scale), F64X2_MUL, set(XY)],
  [bothOf(XY, 0), set(U), bothOf(XY, 1), set(V)],
  [get(AT), polynomial(), STORE],
];

const BODY = [
  [BLOCK, LOOP],
  [get(AT), get(END), I32_GE_U, branchIf(1)],
  [get(AT), load(0), set(XY)],
  [IS_INSIDE, I32_EQZ, IF, FIND_RECORD, IS_INSIDE, I32_EQZ, branchIf(2), END_BLOCK],
  TRANSFORM,
  [get(AT), get(STRIDE), I32_ADD, set(AT), branch(0)],
  [END_BLOCK, END_BLOCK, get(AT), END_BLOCK],
];

function moduleBytes(): Uint8Array {
  const parameters = [I32, I32, I32, F64, I32];
  const name = (text: string): Code => [text.length, [...new TextEncoder().encode(text)]];
  const code = flat([1, 3, V128, BODY]);
  return Uint8Array.from(
    flat([
      [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      section(1, [1, 0x60, parameters.length, parameters, 1, I32]),
      section(2, [1, name('cells'), name('memory'), 2, 0, 1]),
      section(3, [1, 0]),
      section(7, [1, name('run'), 0, 0]),
      section(10, [1, leb(code.length), code]),
    ]),
  );
}

let compiled: WebAssembly.Module | null = null;

/** Null on a processor without the instructions: x64 before SSE 4.1. */
export function compiledRun(memory: WebAssembly.Memory): Run | null {
  if (compiled === null) {
    const bytes = moduleBytes() as Uint8Array<ArrayBuffer>;
    if (!WebAssembly.validate(bytes)) return null;
    compiled = new WebAssembly.Module(bytes);
  }
  return new WebAssembly.Instance(compiled, { cells: { memory } }).exports.run as Run;
}

function section(id: number, content: Code): Code {
  const bytes = flat(content);
  return [id, leb(bytes.length), bytes];
}

/** An unsigned number in LEB128. */
function leb(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, leb(value >>> 7)];
}

function flat(code: Code): number[] {
  return code.flatMap((part) => (typeof part === 'number' ? part : flat(part)));
}
