/** The output that a job states: where it goes, and what its path says about it. */
import type { OutputFormat } from '@geomill/formats/format.ts';
import { type FormatKey, outputFormatOf, outputMembers } from './choose-format.ts';
import { invalidJob } from './messages.ts';
import type { OutputWords } from './output-path.ts';
import { pathOf } from './staged-inputs.ts';
import type { Output, OutputOptions } from './types.ts';

export interface StatedOutput {
  /** Null: the output is returned. */
  readonly path: string | null;
  readonly name: string | undefined;
  readonly overwrite: boolean;
  readonly dropOtherContent: boolean;
  /** The members of an output in a job document, with the format and the options that its name or the ending of the path state. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly format: OutputFormat;
}

const FORMAT_KEY: FormatKey = {
  name: 'output.format',
  advice: "set 'output.format' to one of",
  directoryAdvice: '',
  refuse: invalidJob,
};

export const OUTPUT_WORDS: OutputWords = {
  refuse: (detail) => invalidJob(`'output.path': ${detail}`),
  overwrite: "set 'output.overwrite' to true",
  create: "remove 'output.existing'",
  directoryAdvice: '',
  deviceAdvice: '',
};

/** Throws CONFIG_INVALID and FORMAT_UNKNOWN. */
export function statedOutput(output: Output | undefined): StatedOutput {
  if (output === undefined || output === null)
    throw invalidJob("'output' is required: a path, or an object with 'path' or 'format'");
  const options: OutputOptions =
    typeof output === 'string' || output instanceof URL ? { path: output } : output;
  const { path: stated, name, overwrite = false, drop_other_content = false, ...members } = options;
  for (const [key, value] of Object.entries({ overwrite, drop_other_content }))
    if (typeof value !== 'boolean') throw invalidJob(`'output.${key}' must be true or false`);
  const path = stated === undefined ? null : pathOf(stated, 'output.path');
  const file = {
    name: path ?? name ?? '',
    nameless: "the output has neither 'path' nor 'format'",
  };
  const choice = outputFormatOf(members.format, file, FORMAT_KEY);
  return {
    ...{ path, name, overwrite, dropOtherContent: drop_other_content, format: choice.format },
    members: outputMembers(members, path, choice),
  };
}
