/** The flags of a command line as the job document of a plan, with which another machine runs the same conversion. */
import { resolve } from 'node:path';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { transformations } from '@geomill/operations/registry.ts';
import type { ConversionRequest } from '@geomill/pipeline/request.ts';
import type { Parsed } from '../arguments.ts';
import { checkedRuns, filesRead } from '../conversion-request.ts';
import { conversionOfFlags } from '../convert.ts';
import { checkOutput, inputStats } from '../files.ts';
import { configOfSubmission } from '../submitted-config.ts';
import { isUrl, shownInput } from '../urls.ts';

/** With absolute paths. Throws USAGE for files that other machines cannot read, and what the checks of the flags throw. */
export async function jobOfFlags(
  input: string,
  output: string,
  parsed: Parsed,
): Promise<Readonly<Record<string, unknown>>> {
  if (output === '-')
    throw failure(generalErrors.USAGE, {
      detail: "OUT must be a file: geomill join writes it, so it is not '-'",
    });
  requireFile(input);
  inputStats(input);
  const conversion = conversionOfFlags(input, output, parsed);
  const runs = await checkedRuns(conversion, parsed);
  const read = filesRead(conversion.inputs, runs);
  for (const file of read) requireFile(file);
  checkOutput(output, { inputs: read, overwrite: parsed.values.overwrite === true, isUpdate: false });
  return documentOf(runs[0].request, input, output);
}

function requireFile(path: string): void {
  if (path === '-' || isUrl(path))
    throw failure(generalErrors.USAGE, {
      detail: `'${shownInput(path)}' is no file that every part can read; save it first`,
    });
}

function documentOf(request: ConversionRequest, input: string, output: string): Record<string, unknown> {
  const { config, stepFiles } = configOfSubmission(request, null);
  const { input: from, output: to, transformations: steps, ...rest } = config as Record<string, object>;
  const { to_file: _, ...target } = to as Record<string, unknown>;
  return {
    inputs: [{ path: resolve(input), ...from }],
    steps: (steps as { readonly type: string; readonly params: Record<string, unknown> }[]).map(
      ({ type, params }) => {
        const part = transformations.find(({ id }) => id === type)?.fileParameter?.part;
        const name = part === undefined ? undefined : params[part];
        const file = typeof name === 'string' && Object.hasOwn(stepFiles, name) ? stepFiles[name] : undefined;
        return file === undefined
          ? { type, params }
          : { type, params: { ...params, [part as string]: resolve(file) } };
      },
    ),
    outputs: [{ path: resolve(output), ...target }],
    ...rest,
  };
}
