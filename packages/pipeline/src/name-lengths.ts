/** Rejects oversized names: they would be copied into every batch, and into the memory of readers of the output. */
import type { Field } from '@geomill/core/columns/schema.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import type { SourceLayer } from '@geomill/formats/reader.ts';
import { pipelineErrors } from './errors.ts';

export const MAX_NAME_CHARACTERS = 65_536;

/** Names of layers, and of the fields that they declare. Throws LAYER_NAME_TOO_LONG and FIELD_NAME_TOO_LONG. */
export function checkLayerNames(layers: readonly SourceLayer[]): void {
  for (const [index, { name, fields }] of layers.entries()) {
    if (name.length > MAX_NAME_CHARACTERS)
      throw failure(pipelineErrors.LAYER_NAME_TOO_LONG, {
        position: index + 1,
        length: name.length,
        limit: MAX_NAME_CHARACTERS,
      });
    checkFieldNames(name, fields ?? []);
  }
}

/** Names of the fields of a layer that were found so far. Throws FIELD_NAME_TOO_LONG. */
export function checkFieldNames(layer: string, fields: readonly Field[]): void {
  const index = fields.findIndex(({ name }) => name.length > MAX_NAME_CHARACTERS);
  if (index < 0) return;
  const { length } = fields[index].name;
  throw failure(
    pipelineErrors.FIELD_NAME_TOO_LONG,
    { layer, position: index + 1, length, limit: MAX_NAME_CHARACTERS },
    { layer },
  );
}
