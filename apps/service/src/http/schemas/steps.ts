/** Transformations and the options of formats as named schemas, made from the registries. */
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import type { Format } from '@geomill/formats/format.ts';
import type { Transformation } from '@geomill/operations/transformation.ts';
import { ref } from './schema.ts';

/** `BufferStep` and `BufferParameters` for each transformation, and `TransformationStep`, which is any of them. */
export function stepSchemas(transformations: readonly Transformation[]): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {};
  for (const { id, title, parameters, description } of transformations) {
    const name = pascalCase(id);
    const type = { const: id };
    const required = parameters.required ?? [];
    schemas[`${name}Parameters`] = { title: `Parameters of ${id}`, ...parameters };
    schemas[`${name}Step`] = {
      title,
      description,
      // Not oneOf: a step without parameters is of both shapes.
      anyOf: [
        {
          title: 'Parameters under params',
          type: 'object',
          properties: { type, params: ref(`${name}Parameters`) },
          required: required.length === 0 ? ['type'] : ['type', 'params'],
          additionalProperties: false,
        },
        {
          title: 'Parameters beside the type',
          ...parameters,
          properties: { type, ...parameters.properties },
          required: ['type', ...required],
        },
      ],
    };
  }
  const names = transformations.map(({ id }) => `${pascalCase(id)}Step`);
  schemas.TransformationStep = {
    description: 'One transformation; a list of them is applied in order.',
    // No discriminator: generators want an object in its mapping, and a step is of one of two shapes. The constant `type` tells them apart.
    oneOf: names.map((name) => ref(name)),
  };
  return schemas;
}

/** `CsvReadOptions`, `CsvWriteOptions` and so on, where a format has any. */
export function optionSchemas(formats: readonly Format[]): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {};
  for (const { id, readOptions, writeOptions } of formats) {
    const name = pascalCase(id);
    if (Object.keys(readOptions.properties).length > 0)
      schemas[`${name}ReadOptions`] = { title: `Options of ${id} input`, ...readOptions };
    if (Object.keys(writeOptions.properties).length > 0)
      schemas[`${name}WriteOptions`] = { title: `Options of ${id} output`, ...writeOptions };
  }
  return schemas;
}

/** convex_hull -> ConvexHull. */
export function pascalCase(id: string): string {
  return id.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
