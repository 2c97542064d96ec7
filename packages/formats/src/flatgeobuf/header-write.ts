/** Writes the header of a file. */
import type { FieldFacts, LayerFacts } from '@geomill/core/columns/field-facts.ts';
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

/** A layer as the sink gets it. */
export interface SinkHeader extends LayerHeader {
  readonly facts: LayerFacts | undefined;
}

/** What is known when all features are. */
export interface FeatureFacts {
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
  { layer, fields, crs, facts }: SinkHeader,
  features: FeatureFacts,
): Uint8Array<ArrayBuffer> {
  return writeFlatBuffer(
    slots(HEADER, {
      name: { text: layer },
      envelope: features.extent === null ? null : { doubles: features.extent },
      geometryType: { uint8: features.geometryType },
      hasZ: features.hasZ ? { uint8: 1 } : null,
      hasM: features.hasM ? { uint8: 1 } : null,
      columns: { tables: fields.map((field) => columnOf(field, facts?.fields.get(field.name))) },
      featuresCount: { uint64: BigInt(features.count) },
      // Missing would mean 16.
      indexNodeSize: { uint16: features.nodeSize },
      crs: crs.wkt2 === null && crs.code === null ? null : { table: crsOf(crs) },
      title: textOrNull(facts?.title),
      description: textOrNull(facts?.description),
    }),
  );
}

function columnOf({ name, type }: Field, facts: FieldFacts = {}): FlatFields {
  return slots(COLUMN, {
    name: { text: name },
    type: { uint8: COLUMN_TYPES[type] },
    title: textOrNull(facts.alias),
    description: textOrNull(facts.description),
    width: facts.width === undefined ? null : { int32: facts.width },
    // Missing would mean that it may be null.
    nullable: facts.notNull ? { uint8: 0 } : null,
    unique: facts.unique ? { uint8: 1 } : null,
    metadata: type === 'date' ? { text: DATE_METADATA } : null,
  });
}

function textOrNull(text: string | undefined): FlatValue {
  return text === undefined ? null : { text };
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
