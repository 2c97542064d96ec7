/** Feature ids for an output that cannot store ids, or that stores those of several layers together. */
import {
  type AttributeColumn,
  ColumnBuilder,
  isValid,
  nullColumn,
} from '@geomill/core/columns/attribute-column.ts';
import { castColumn } from '@geomill/core/columns/cast.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { fieldsOf, type LayerStatistics } from '@geomill/core/columns/statistics.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import type { OutputLayer } from '@geomill/formats/writer.ts';
import { pipelineFindings } from './findings.ts';

/** The field of ids that are data. */
export const ID_FIELD = 'id';

/** The batch with its ids as its first field; an empty name leaves them out. */
export function idsAsField(batch: FeatureBatch, name: string): FeatureBatch {
  if (name === '') return { ...batch, ids: null };
  const column = batch.ids ?? nullColumn('string', batch.rowCount);
  return {
    ...batch,
    fields: [{ name, type: column.type }, ...batch.fields],
    columns: [column, ...batch.columns],
    ids: null,
  };
}

/** Ids with the layer's name, "roads.7", so that those of different layers differ. */
export function prefixedIds(
  ids: AttributeColumn | null,
  rowCount: number,
  layer: string,
): AttributeColumn | null {
  if (ids === null) return null;
  const texts = castColumn(ids, 'string', rowCount);
  if (!('offsets' in texts)) throw new Error('ids as text are no text');
  const prefix = new TextEncoder().encode(`${layer}.`);
  const builder = new ColumnBuilder('string', rowCount, texts.bytes.length + rowCount * prefix.length);
  let scratch = new Uint8Array(256);
  for (let row = 0; row < rowCount; row++) {
    if (!isValid(texts.validity, row)) {
      builder.appendNull();
      continue;
    }
    const own = texts.bytes.subarray(texts.offsets[row], texts.offsets[row + 1]);
    const length = prefix.length + own.length;
    if (length > scratch.length) scratch = new Uint8Array(2 * length);
    scratch.set(prefix);
    scratch.set(own, prefix.length);
    builder.appendBytes(scratch, 0, length);
  }
  return builder.finish();
}

/** The layer with its ids as its first field, unless a field has that name: then they are dropped, which is noted. */
export function withIdField(layer: OutputLayer, format: string, findings: Findings): OutputLayer {
  const { statistics } = layer;
  const ids = statistics?.ids ?? null;
  if (statistics === null || ids === null || ids.nonNullCount === 0)
    return statistics?.hasIds ? { ...layer, idField: '', statistics: withoutIds(statistics) } : layer;
  const taken = layer.fields?.find(({ name }) => name.toLowerCase() === ID_FIELD);
  if (taken !== undefined) {
    const params = { layer: layer.name, field: taken.name, format };
    findings.note(pipelineFindings.IDS_WITHOUT_FIELD, params, { layer: layer.name }, ids.nonNullCount);
    return { ...layer, idField: '', statistics: withoutIds(statistics) };
  }
  const fields = [{ ...ids, name: ID_FIELD }, ...statistics.fields];
  const extended = { ...withoutIds(statistics), fields };
  return { ...layer, idField: ID_FIELD, fields: fieldsOf(extended), statistics: extended };
}

function withoutIds(statistics: LayerStatistics): LayerStatistics {
  return { ...statistics, ids: null, hasIds: false };
}
