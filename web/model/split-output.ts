/** Outputs that are divided by the values of a field, which every format can be. Pure. */
import type { OutputChoice } from './document.ts';

/** Formats that have layers: they are divided into layers unless the document says otherwise. */
const LAYERED = ['gpkg', 'dxf'];
const BOTH = ['layers', 'files'];

/** The schema of the write options of a format, with those that divide its outputs. */
export function withSplitOptions(schema: object, format: string): object {
  const { properties = {} } = schema as { readonly properties?: object };
  const into = LAYERED.includes(format) ? BOTH : ['files'];
  const split_by = {
    type: 'string',
    description:
      'Field or expression, such as year(built), whose values divide the output: a part for each value. Default: not divided.',
  };
  const split_into = {
    enum: into,
    default: into[0],
    description: 'What each part is. Files come in a zip archive.',
  };
  return { ...schema, properties: { ...properties, split_by, split_into } };
}

/** `extension`: of the format. */
export function outputExtension({ format, options }: OutputChoice, extension: string): string {
  const into = options.split_into ?? (LAYERED.includes(format) ? 'layers' : 'files');
  return options.split_by !== undefined && into === 'files' ? '.zip' : extension;
}
