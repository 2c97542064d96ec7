/** A job document as requests to the pipeline, for the functions of the library and `geomill run`. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { InputFormat, OutputFormat } from '@geomill/formats/format.ts';
import { formats } from '@geomill/formats/registry.ts';
import { transformations } from '@geomill/operations/registry.ts';
import type { ConversionRequest, InspectionRequest, JobRequest } from '@geomill/pipeline/request.ts';
import { configOfDocument, type JobDocument } from '@geomill/requests/job-document.ts';
import { type ParsedConfig, parseJobRequest } from '@geomill/requests/parse-job-request.ts';
import { type RunInputs, runsByFormat } from './choose-format.ts';

export interface JobRequests {
  readonly runs: readonly {
    readonly request: ConversionRequest;
    /** Positions of its inputs in those of the document. */
    readonly positions: readonly number[];
  }[];
  /** About the members of the document. */
  readonly findings: ParsedConfig['findings'];
}

/** `found`: the formats of the inputs and of the output. Throws what the checks of the members throw, and CONFIG_INVALID. */
export function jobRequests(
  document: JobDocument,
  found: { readonly inputs: readonly InputFormat[]; readonly output: OutputFormat },
): JobRequests {
  const { operation } = document;
  const parsed = runsByFormat(operation, found.inputs, found.output, mixedFailure(found.inputs)).map(
    (inputs) => ({ inputs, ...parsedRun(document, inputs) }),
  );
  return {
    runs: parsed.map(({ request, inputs }) => ({ request, positions: inputs.positions })),
    findings: parsed[0].findings,
  };
}

function parsedRun(
  document: JobDocument,
  { format, targetFormat, formatOfEach, positions }: RunInputs,
): { readonly request: ConversionRequest; readonly findings: ParsedConfig['findings'] } {
  const inputs = positions.map((position, i) => {
    const { format: _, ...members } = document.inputs[position];
    return i === 0 ? { ...members, format: format.id } : members;
  });
  const parsed = parsedConfig(document.operation, configOfDocument({ ...document, inputs }, 0));
  const request = parsed.forFiles(inputs.length) as ConversionRequest;
  const { input } = request;
  const own = formatOfEach ?? [];
  const files = input.files.map((file, i) =>
    own[i] === undefined || own[i] === format ? file : { ...file, own: { format: own[i].id, options: {} } },
  );
  const ofTarget = targetFormat === undefined ? {} : { targetFormat: targetFormat.id };
  return { request: { ...request, input: { ...input, ...ofTarget, files } }, findings: parsed.findings };
}

/** `config`: the members of an inspection, with the format of the input. */
export function inspectionRequest(config: Readonly<Record<string, unknown>>): InspectionRequest {
  return parsedConfig('inspect', config).forFiles(1) as InspectionRequest;
}

function parsedConfig(operation: JobRequest['operation'], config: object): ParsedConfig {
  // The CRSs that a job does not state are those of `geomill convert`.
  const endpoint = {
    operation,
    inputFormat: null,
    spelling: 'nested',
    isCrsOptional: true,
    keepsCrs: true,
  } as const;
  return parseJobRequest(config, endpoint, { formats, transformations }, undefined, 'paths');
}

function mixedFailure(found: readonly InputFormat[]): (other: number) => Error {
  return (other) => {
    const extendable = formats.filter(({ isExtendable }) => isExtendable).map(({ name }) => name);
    return failure(generalErrors.CONFIG_INVALID, {
      detail: `'inputs[0]' is ${found[0].id} and 'inputs[${other}]' is ${found[other].id}; files of several formats can be merged, or appended to a ${extendable.join(' or ')} and written as one; else convert some first`,
    });
  };
}
