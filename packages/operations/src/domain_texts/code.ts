/** Writes the texts of a domain where the codes were, or in a field after them. A code without a text stays. */
import {
  type AttributeColumn,
  ColumnBuilder,
  isValid,
  valueAt,
} from '@geomill/core/columns/attribute-column.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { stepFindings } from '../findings.ts';
import { changedField } from '../parts/new-fields.ts';
import type { StepParameters, StreamingTransformation } from '../transformation.ts';

type Lists = Readonly<Record<string, readonly (readonly [code: string, text: string])[]>>;

export const code: StreamingTransformation = {
  kind: 'streaming',
  keepsValues: true,
  outputFields: (fields, parameters) => planned(fields, parameters).map(({ field }) => field),
  async prepare(parameters) {
    const lookups = new Map(
      Object.entries(parameters.fields as Lists).map(([field, list]) => [field, new Lookup(list)]),
    );
    return (batch, findings) => withTexts(batch, parameters, lookups, findings);
  },
};

interface Planned {
  readonly field: Field;
  /** Position of its values, or of its codes, in the batch before. */
  readonly index: number;
  readonly isText: boolean;
}

/** Fields that are not there have no texts. */
function planned(fields: readonly Field[], { fields: lists, texts }: StepParameters): readonly Planned[] {
  const names = new UniqueNames({ taken: fields.map(({ name }) => name) });
  return fields.flatMap((field, index): Planned[] => {
    const isCoded = Object.hasOwn(lists as Lists, field.name) && field.type !== 'binary';
    if (!isCoded) return [{ field, index, isText: false }];
    if (texts === 'text')
      return [{ field: changedField(field, { name: field.name, type: 'string' }), index, isText: true }];
    const text: Field = { name: names.take(`${field.name}_text`), type: 'string' };
    return [
      { field, index, isText: false },
      { field: text, index, isText: true },
    ];
  });
}

function withTexts(
  batch: FeatureBatch,
  parameters: StepParameters,
  lookups: ReadonlyMap<string, Lookup>,
  findings: Findings,
): FeatureBatch {
  const plan = planned(batch.fields, parameters);
  const columns = plan.map(({ index, isText }) => {
    const column = batch.columns[index];
    const lookup = lookups.get(batch.fields[index].name);
    if (!isText || lookup === undefined) return column;
    return textColumn(column, lookup, batch.fields[index].name, batch.rowCount, findings);
  });
  return { ...batch, fields: plan.map(({ field }) => field), columns };
}

function textColumn(
  column: AttributeColumn,
  lookup: Lookup,
  field: string,
  rowCount: number,
  findings: Findings,
): AttributeColumn {
  const builder = new ColumnBuilder('string', rowCount);
  const unknown = new RowTally();
  for (let row = 0; row < rowCount; row++) {
    if (!isValid(column.validity, row)) {
      builder.appendNull();
      continue;
    }
    const value = valueAt(column, row);
    const text = lookup.find(value);
    if (text === undefined) unknown.add(row);
    const bytes = text ?? encoder.encode(String(value));
    builder.appendBytes(bytes, 0, bytes.length);
  }
  findings.noteTally(stepFindings.DOMAIN_CODE_UNKNOWN, { field }, unknown);
  return builder.finish();
}

const encoder = new TextEncoder();

/** Numbers have several spellings, texts one. */
class Lookup {
  readonly #texts = new Map<string, Uint8Array>();
  readonly #numbers = new Map<number, Uint8Array>();

  constructor(list: readonly (readonly [code: string, text: string])[]) {
    for (const [code, text] of list) {
      const bytes = encoder.encode(text);
      this.#texts.set(code.trim(), bytes);
      if (code.trim() !== '' && Number.isFinite(Number(code))) this.#numbers.set(Number(code), bytes);
    }
  }

  /** Undefined: the value is not in the domain. */
  find(value: ReturnType<typeof valueAt>): Uint8Array | undefined {
    if (typeof value === 'number' || typeof value === 'boolean') return this.#numbers.get(Number(value));
    return this.#texts.get(String(value).trim());
  }
}
