/** Formats, transformations and coordinate reference systems as the catalogue lists them. */
import type { JsonSchema } from '../operation.ts';
import { closedObject, FLAG, listOf, nullable, ref, TEXT, text } from './schema.ts';

const schemaOfOptions: JsonSchema = { type: 'object', description: 'JSON Schema (2020-12) of the object.' };
const degrees: JsonSchema = { type: 'number', minimum: -180, maximum: 180 };

const formatRecord = closedObject({
  id: text('As requests name it.'),
  title: TEXT,
  extensions: listOf(TEXT, 'Endings of file names, with the dot; the first one is the usual one.'),
  media_type: text('Of an output.'),
  output_extension: text('Ending of the name of an output.'),
  input: FLAG,
  output: FLAG,
  input_crs: {
    type: 'string',
    enum: ['fixed', 'file', 'request'],
    description:
      'Where the CRS of an input comes from. `fixed`: EPSG:4326, unless the request says otherwise. `file`: the file states it. `request`: only the request can, so it must.',
  },
  output_layers: {
    type: 'string',
    enum: ['one', 'many'],
    description: '`many`: an output keeps layers apart. `one`: they are joined, with a field `layer`.',
  },
  read_options: { ...schemaOfOptions, description: 'Options under `input`, as a JSON Schema (2020-12).' },
  write_options: { ...schemaOfOptions, description: 'Options under `output`, as a JSON Schema (2020-12).' },
  links: nullable(
    closedObject({ transform: TEXT, append: TEXT, merge: TEXT }),
    'Paths of the operations that read the format; null: it can only be written.',
  ),
});

export const catalogueSchemas: Readonly<Record<string, JsonSchema>> = {
  FormatRecord: formatRecord,
  FormatList: closedObject({ formats: listOf(ref('FormatRecord')) }),
  TransformationRecord: closedObject({
    id: text('The `type` of a step.'),
    title: TEXT,
    description: text('Markdown: what it does, and what becomes of attributes and ids.'),
    parameters: { ...schemaOfOptions, description: 'JSON Schema (2020-12) of the parameters.' },
    guarantees: listOf(TEXT, 'What always holds of a result.'),
    example: { type: 'object', description: 'A step as it stands in `transformations`.' },
  }),
  TransformationList: closedObject({ transformations: listOf(ref('TransformationRecord')) }),
  CrsHit: closedObject({
    code: text('As requests name it, e.g. `EPSG:25832`.'),
    name: TEXT,
    kind: { type: 'string', enum: ['projected', 'geographic', 'geographic_3d', 'compound'] },
    deprecated: { ...FLAG, description: 'EPSG advises against it; it still works.' },
    area: nullable(
      closedObject({ name: TEXT, west: degrees, south: degrees, east: degrees, north: degrees }),
      'Where it is meant to be used, in degrees; west > east across 180 degrees. Null where EPSG does not say.',
    ),
    unit: text('Of the horizontal coordinates: `metre`, `degree`, `US survey foot`, ...'),
  }),
  CrsList: closedObject({ crs: listOf(ref('CrsHit'), 'The best first.') }),
};
