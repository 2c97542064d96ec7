/** Writes the features of a batch that belong to a set, one per line. */
import { ByteWriter } from '@geomill/core/bytes/byte-writer.ts';
import { type FeatureBatch, freeColumns } from '@geomill/core/columns/feature-batch.ts';
import { JsonValueWriter } from '@geomill/core/columns/json-value-writer.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { CLOSE_BRACE } from '@geomill/core/text/ascii.ts';
import { usualLength } from '@geomill/core/text/number-text.ts';
import { formatFindings } from '../findings.ts';
import { rowsOfKind } from '../single-kind.ts';
import { GeometryWriter } from './write-geometry.ts';
import type { SetPlan, WriteState } from './write-plan.ts';
import { writtenColumn } from './write-values.ts';

const encoder = new TextEncoder();
const SEPARATOR = encoder.encode(',\n');
const GEOMETRY = encoder.encode(',"geometry":');

/** Features of a set as text. */
export interface EncodedSet {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly featureCount: number;
  /** Offsets in `bytes` where the object ids belong; empty if they are a field. */
  readonly idOffsets: Uint32Array<ArrayBuffer>;
  /** Object ids of the first and the last feature if they are a field; null: they are not, or are not ascending. */
  readonly ids: { readonly first: number; readonly last: number } | null;
}

/** `isSpent`: as in FormatWriter; there is one set. */
export function encodeSets(
  batch: FeatureBatch,
  state: WriteState,
  findings: Findings,
  isSpent: boolean,
): EncodedSet[] {
  const columns = batch.columns.map((column, i) =>
    writtenColumn(column, state.fields[i], batch.rowCount, findings),
  );
  return state.sets.map((set) => encodeSet({ ...batch, columns }, state, set, findings, isSpent));
}

function encodeSet(
  batch: FeatureBatch,
  state: WriteState,
  set: SetPlan,
  findings: Findings,
  isSpent: boolean,
): EncodedSet {
  const { fields, columns, geometry } = batch;
  const rows = set.takesAll ? null : rowsOfKind(batch, set);
  const count = rows === null ? batch.rowCount : rows.length;
  const out = new ByteWriter(estimateBytes(batch, state));
  const geometries = new GeometryWriter(out, geometry, state.rounding, set);
  const idKey = state.areIdsAdded ? encoder.encode(`${JSON.stringify(state.objectId)}:`) : null;
  const keys = fields.map(({ name }, i) =>
    encoder.encode(`${i === 0 && idKey === null ? '' : ','}${JSON.stringify(name)}:`),
  );
  const values = columns.map((column) => new JsonValueWriter(out, column));
  const head = encoder.encode('{"attributes":{');
  const ids = idsOf(batch, state, rows, count);
  const idOffsets = new Uint32Array(idKey === null ? 0 : count);
  for (let i = 0; i < count; i++) {
    const row = rows === null ? i : rows[i];
    if (i > 0) out.copy(SEPARATOR);
    out.copy(head);
    if (idKey !== null) {
      out.copy(idKey);
      idOffsets[i] = out.length;
    }
    for (let field = 0; field < values.length; field++) {
      out.copy(keys[field]);
      values[field].write(row);
    }
    out.uint8(CLOSE_BRACE);
    if (isSpent && i === count - 1) freeColumns(batch);
    const end = out.length;
    out.copy(GEOMETRY);
    if (!geometries.write(row)) out.length = end;
    out.uint8(CLOSE_BRACE);
  }
  if (set.takesAll || set.takesNulls)
    fields.forEach(({ name }, i) => {
      findings.noteTally(
        formatFindings.NUMBER_NOT_FINITE,
        { field: name, format: 'EsriJSON' },
        values[i].notFinite,
      );
    });
  return { bytes: out.written(), featureCount: count, idOffsets, ids };
}

/** Null unless the object ids are a field and ascending. */
function idsOf(
  { fields, columns }: FeatureBatch,
  { objectId, areIdsAdded }: WriteState,
  rows: Uint32Array | null,
  count: number,
): EncodedSet['ids'] {
  const column = areIdsAdded ? undefined : columns[fields.findIndex(({ name }) => name === objectId)];
  if (column === undefined || count === 0 || (column.type !== 'int32' && column.type !== 'int64'))
    return null;
  const { values } = column;
  const idAt = (i: number): number => Number(values[rows === null ? i : rows[i]]);
  const first = idAt(0);
  let last = first;
  for (let i = 1; i < count; i++) {
    const value = idAt(i);
    if (value <= last) return null;
    last = value;
  }
  return { first, last };
}

/** Close enough that the buffer rarely has to grow. */
function estimateBytes(batch: FeatureBatch, { rounding, sets }: WriteState): number {
  let bytes = batch.rowCount * 70 + batch.geometry.coordinates.length * usualLength(rounding.xy) + 1024;
  for (const { name } of batch.fields) bytes += batch.rowCount * (name.length + 12);
  for (const column of batch.columns) if ('offsets' in column) bytes += column.bytes.length;
  return Math.ceil(bytes / sets.length);
}
