/** What is written for a layer. Plain data: sent to worker threads. */
import type { Field, FieldType } from '@geomill/core/columns/schema.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import { isInDegrees } from '@geomill/core/crs/degrees.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { formatFindings } from '../../findings.ts';
import type { OutputLayer, WriteContext } from '../../writer.ts';
import type { Compression } from '../bytes/compression.ts';

export interface ParquetPlan {
  readonly version: '1.1' | '2.0';
  readonly compression: Compression;
  readonly columns: readonly Field[];
  /** Null: plain Parquet, a table without geometries. */
  readonly geometry: string | null;
  /** Name of the column of bounding boxes; null: there is none. */
  readonly box: string | null;
  /** PROJJSON; null: unknown. */
  readonly crs: string | null;
  /** Positions are longitudes and latitudes in degrees. */
  readonly isInDegrees: boolean;
}

const GEOMETRY = 'geometry';
const BOX = 'bbox';

export function planLayer(layer: OutputLayer, fields: readonly Field[], context: WriteContext): ParquetPlan {
  const { options, findings } = context;
  const { projjson } = layer.crs;
  // A file has a column at least.
  const isTable = layer.isTable === true && fields.length > 0;
  if (projjson === null && !isTable)
    findings.note(formatFindings.CRS_NOT_WRITTEN, {
      crs: layer.crs.name,
      reason: 'PROJJSON cannot express it',
    });
  // Many programs ignore the letter case of names.
  const names = new UniqueNames({
    fold: (name) => name.toLowerCase(),
    taken: fields.map(({ name }) => name.toLowerCase()),
  });
  return {
    version: options.version === '2.0' ? '2.0' : '1.1',
    compression: compressionOf(options.compression),
    columns: fields.map(({ name, type }) => ({ name: writable(name, layer.name, findings), type })),
    geometry: isTable ? null : take(names, GEOMETRY, 'the geometry', layer.name, findings),
    box:
      isTable || options.bounding_boxes === false
        ? null
        : take(names, BOX, 'the bounding boxes', layer.name, findings),
    crs: projjson,
    isInDegrees: isInDegrees(layer.crs),
  };
}

function compressionOf(option: unknown): Compression {
  return option === 'gzip' || option === 'none' ? option : 'zstd';
}

/** Unpaired surrogates have no UTF-8. */
function writable(name: string, layer: string, findings: Findings): string {
  const to = name.toWellFormed();
  if (to !== name) findings.note(formatFindings.FIELD_RENAMED, { from: name, layer, to });
  return to;
}

function take(names: UniqueNames, wanted: string, column: string, layer: string, findings: Findings): string {
  const name = names.take(wanted);
  if (name !== wanted)
    findings.note(formatFindings.COLUMN_RENAMED, { column, layer, field: wanted, to: name });
  return name;
}

/** A leaf of the schema that is written. */
export interface OutputLeaf {
  readonly kind: FieldType | 'geometry' | 'box';
  /** Names from the top. */
  readonly path: readonly string[];
}

export const SIDES = ['xmin', 'ymin', 'xmax', 'ymax'] as const;

/** In the order of the file: fields, the geometry, its box. */
export function outputLeaves({ columns, geometry, box }: ParquetPlan): OutputLeaf[] {
  const leaves: OutputLeaf[] = columns.map(({ name, type }) => ({ kind: type, path: [name] }));
  if (geometry !== null) leaves.push({ kind: 'geometry', path: [geometry] });
  if (box !== null) for (const side of SIDES) leaves.push({ kind: 'box', path: [box, side] });
  return leaves;
}
