/** Logical types of columns (LogicalTypes.md), and the older converted types that they replace. */
import { type CompactReader, T } from '../bytes/compact-reader.ts';

export type TimeUnit = 'ms' | 'us' | 'ns';

export type LogicalType =
  | { readonly kind: 'decimal'; readonly scale: number; readonly precision: number }
  | { readonly kind: 'time' | 'timestamp'; readonly isUtc: boolean; readonly unit: TimeUnit }
  | { readonly kind: 'integer'; readonly bits: number; readonly isSigned: boolean }
  | { readonly kind: 'geometry'; readonly crs: string | null }
  | { readonly kind: 'geography'; readonly crs: string | null; readonly edges: string }
  | { readonly kind: PlainKind };

type PlainKind =
  | 'string'
  | 'map'
  | 'list'
  | 'enum'
  | 'date'
  | 'interval'
  | 'unknown'
  | 'json'
  | 'bson'
  | 'uuid'
  | 'float16'
  | 'variant'
  /** Of a newer version. */
  | 'new';

/** By the field of the union LogicalType. */
const PLAIN: Readonly<Record<number, PlainKind>> = {
  1: 'string',
  2: 'map',
  3: 'list',
  4: 'enum',
  6: 'date',
  11: 'unknown',
  12: 'json',
  13: 'bson',
  14: 'uuid',
  15: 'float16',
  16: 'variant',
};
/** EdgeInterpolationAlgorithm. */
const EDGES = ['spherical', 'vincenty', 'thomas', 'andoyer', 'karney'];
const UNITS: Readonly<Record<number, TimeUnit>> = { 1: 'ms', 2: 'us', 3: 'ns' };

export function readLogical(reader: CompactReader): LogicalType | null {
  let found: LogicalType | null = null;
  reader.struct((id, type) => {
    if (type !== T.struct) return false;
    found = readMember(reader, id);
    return true;
  });
  return found;
}

function readMember(reader: CompactReader, id: number): LogicalType {
  switch (id) {
    case 5: {
      const [scale, precision] = readIntegers(reader);
      return { kind: 'decimal', scale, precision };
    }
    case 7:
    case 8: {
      let isUtc = false;
      let unit: TimeUnit = 'ms';
      reader.struct((field, type) => {
        if (field === 1) isUtc = reader.boolean(type);
        else if (field === 2 && type === T.struct)
          reader.struct((choice) => {
            unit = UNITS[choice] ?? unit;
            return false;
          });
        else return false;
        return true;
      });
      return { kind: id === 7 ? 'time' : 'timestamp', isUtc, unit };
    }
    case 10: {
      let bits = 64;
      let isSigned = true;
      reader.struct((field, type) => {
        if (field === 1 && type === T.byte) bits = reader.byte();
        else if (field === 2) isSigned = reader.boolean(type);
        else return false;
        return true;
      });
      return { kind: 'integer', bits, isSigned };
    }
    case 17:
    case 18: {
      let crs: string | null = null;
      let edges = EDGES[0];
      reader.struct((field, type) => {
        if (field === 1) crs = reader.text(type);
        else if (field === 2 && id === 18) edges = EDGES[reader.int()] ?? 'curved';
        else return false;
        return true;
      });
      return id === 17 ? { kind: 'geometry', crs } : { kind: 'geography', crs, edges };
    }
    default:
      reader.struct(() => false);
      return { kind: PLAIN[id] ?? 'new' };
  }
}

function readIntegers(reader: CompactReader): [number, number] {
  const values: [number, number] = [0, 0];
  reader.struct((id) => {
    if (id !== 1 && id !== 2) return false;
    values[id - 1] = reader.int();
    return true;
  });
  return values;
}

/** The logical type of a ConvertedType. */
export function logicalOf(converted: number | null, scale: number, precision: number): LogicalType | null {
  switch (converted) {
    case 0:
      return { kind: 'string' };
    case 1:
    case 2:
      return { kind: 'map' };
    case 3:
      return { kind: 'list' };
    case 4:
      return { kind: 'enum' };
    case 5:
      return { kind: 'decimal', scale, precision };
    case 6:
      return { kind: 'date' };
    case 7:
      return { kind: 'time', isUtc: true, unit: 'ms' };
    case 8:
      return { kind: 'time', isUtc: true, unit: 'us' };
    case 9:
      return { kind: 'timestamp', isUtc: true, unit: 'ms' };
    case 10:
      return { kind: 'timestamp', isUtc: true, unit: 'us' };
    case 11:
    case 12:
    case 13:
    case 14:
      return { kind: 'integer', bits: 8 << (converted - 11), isSigned: false };
    case 15:
    case 16:
    case 17:
    case 18:
      return { kind: 'integer', bits: 8 << (converted - 15), isSigned: true };
    case 19:
      return { kind: 'json' };
    case 20:
      return { kind: 'bson' };
    case 21:
      return { kind: 'interval' };
    default:
      return null;
  }
}
