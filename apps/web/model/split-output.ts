/** Outputs that are divided by the values of a field, which every format can be. Pure. */
import type { FormatRecord } from '@geomill/client/client.ts';
import type { OutputChoice } from './document.ts';

type SplitFormat = Pick<FormatRecord, 'split_into' | 'output_extension'>;

/** The schema of the write options of a format, with those that divide its outputs. */
export function withSplitOptions({ write_options, split_into }: FormatRecord): object {
  const { properties = {} } = write_options as { readonly properties?: object };
  return {
    ...write_options,
    properties: {
      ...properties,
      split_by: {
        type: 'string',
        description:
          'Field or expression, such as year(built), whose values divide the output: a part for each value. Default: not divided.',
      },
      split_into: {
        enum: split_into === 'layers' ? ['layers', 'files'] : ['files'],
        default: split_into,
        description: 'What each part is. Files come in a zip archive.',
      },
    },
  };
}

/** The ending of the file that a document writes. */
export function outputExtension({ options }: Pick<OutputChoice, 'options'>, format: SplitFormat): string {
  const into = options.split_into ?? format.split_into;
  return options.split_by !== undefined && into === 'files' ? '.zip' : format.output_extension;
}
