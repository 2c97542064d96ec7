import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { RowSorter } from '../parts/row-sorter.ts';
import { keysFor, SortKeys, withKeys } from '../parts/sort-keys.ts';
import { parseOrders, type SortOrder } from '../parts/sort-orders.ts';
import type { SerialTransformation, StepParameters } from '../transformation.ts';

export const code: SerialTransformation = {
  kind: 'serial',
  usesFields: () => true,
  outputFields(fields, parameters) {
    keysFor(ordersOf(parameters, ''), fields, null);
    return fields;
  },
  async begin(parameters, setting, store) {
    const orders = ordersOf(parameters, `${setting.path}.`);
    const keys = await SortKeys.prepare(orders, setting);
    const sorter = new RowSorter(orders, store);
    let fields: readonly Field[] | null = null;
    return {
      add(batch, findings) {
        fields ??= batch.fields;
        sorter.add(withKeys(batch, keys.columns(batch, findings)));
      },
      *finish() {
        for (const batch of sorter.finish()) yield withoutKeys(batch, fields ?? []);
      },
    };
  },
};

function ordersOf({ by }: StepParameters, before: string): readonly SortOrder[] {
  return parseOrders(by as readonly string[], `${before}by`);
}

function withoutKeys(batch: FeatureBatch, fields: readonly Field[]): FeatureBatch {
  return { ...batch, fields, columns: batch.columns.slice(0, fields.length) };
}
