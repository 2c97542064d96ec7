/** Writes the header of a file. */
import type { Field, FieldType } from '@geomill/core/columns/schema.ts';
import type { CrsDescription } from '@geomill/core/crs/crs.ts';
import { type FlatFields, type FlatValue, writeFlatBuffer } from './flat-write.ts';
import { COLUMN, COLUMN_TYPE, CRS, DATE_METADATA, HEADER } from './header.ts';

const COLUMN_TYPES: Readonly<Record<FieldType, number>> = {
  boolean: COLUMN_TYPE.bool,
  int32: COLUMN_TYPE.int,
  int64: COLUMN_TYPE.long,
  float64: COLUMN_TYPE.double,
  string: COLUMN_TYPE.string,
  binary: COLUMN_TYPE.binary,
  date: COLUMN_TYPE.dateTime,
  datetime: COLUMN_TYPE.dateTime,
  json: COLUMN_TYPE.json,
};

/** How a layer is written. Plain data. */
export interface LayerHeader {
  readonly layer: string;
  readonly fields: readonly Field[];
  readonly crs: Pick<CrsDescription, 'name' | 'wkt2'> & {
    readonly organization: string | null;
    readonly code: string | null;
  };
  /** Positions are longitudes and latitudes in degrees. */
  readonly isInDegrees: boolean;
}

/** What is known when all features are. */
export interface LayerFacts {
  readonly count: number;
  /** GEOMETRY_TYPE of all; 0: of several types. */
  readonly geometryType: number;
  readonly hasZ: boolean;
  readonly hasM: boolean;
  /** Null: there is no position. */
  readonly extent: readonly number[] | null;
  /** 0: without index. */
  readonly nodeSize: number;
}

export function encodeHeader(
  { layer, fields, crs }: LayerHeader,
  facts: LayerFacts,
): Uint8Array<ArrayBuffer> {
  return writeFlatBuffer(
    slots(HEADER, {
      name: { text: layer },
      envelope: facts.extent === null ? null : { doubles: facts.extent },
      geometryType: { uint8: facts.geometryType },
      hasZ: facts.hasZ ? { uint8: 1 } : null,
      hasM: facts.hasM ? { uint8: 1 } : null,
      columns: { tables: fields.map(columnOf) },
      featuresCount: { uint64: BigInt(facts.count) },
      // Missing would mean 16.
      indexNodeSize: { uint16: facts.nodeSize },
      crs: crs.wkt2 === null && crs.code === null ? null : { table: crsOf(crs) },
    }),
  );
}

function columnOf({ name, type }: Field): FlatFields {
  return slots(COLUMN, {
    name: { text: name },
    type: { uint8: COLUMN_TYPES[type] },
    metadata: type === 'date' ? { text: DATE_METADATA } : null,
  });
}

function crsOf({ name, wkt2, organization, code }: LayerHeader['crs']): FlatFields {
  const isNumber = code !== null && /^[1-9]\d{0,8}$/.test(code);
  return slots(CRS, {
    org: organization === null ? null : { text: organization },
    code: isNumber ? { int32: Number(code) } : null,
    name: { text: name },
    wkt: wkt2 === null ? null : { text: wkt2 },
    codeString: code === null || isNumber ? null : { text: code },
  });
}

/** The values by slot. */
function slots<Name extends string>(
  names: Readonly<Record<Name, number>>,
  values: Partial<Readonly<Record<NoInfer<Name>, FlatValue>>>,
): FlatFields {
  const fields: FlatValue[] = [];
  for (const name in names) {
    const slot = names[name];
    while (fields.length <= slot) fields.push(null);
    fields[slot] = values[name] ?? null;
  }
  return fields;
}
