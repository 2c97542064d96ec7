/** Fields with values of several types, for outputs whose columns have one type. */
import type { Findings } from '@geomill/core/messages/findings.ts';
import { formatFindings } from '@geomill/formats/findings.ts';
import type { Format } from '@geomill/formats/format.ts';
import type { OutputLayer } from '@geomill/formats/writer.ts';

/**
 * Returns the layer with text in place of JSON for each field whose values are numbers, booleans and texts, so that a text is written
 * without the quotes of JSON. Fields with objects or arrays, and fields of which no statistics were collected, keep their types.
 */
export function mixedAsText(
  layer: OutputLayer,
  { mixedValues }: Pick<Format, 'mixedValues'>,
  findings: Findings,
): OutputLayer {
  const { fields, statistics } = layer;
  if (mixedValues === 'kept' || fields === null || statistics === null) return layer;
  const mixed = new Set(
    statistics.fields.filter(({ type, hasNested }) => type === 'json' && !hasNested).map(({ name }) => name),
  );
  if (mixed.size === 0) return layer;
  const from = 'values of several types';
  for (const field of mixed)
    findings.note(formatFindings.FIELD_RETYPED, { field, layer: layer.name, from, to: 'text' });
  return {
    ...layer,
    fields: fields.map((field) => (mixed.has(field.name) ? { ...field, type: 'string' } : field)),
  };
}
