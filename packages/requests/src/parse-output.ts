/** The output that a config asks for. */
import { type CrsText, parseOutputCrs, SOURCE_CRS } from '@geomill/core/crs/crs.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { type Format, type OutputVariant, variantOf } from '@geomill/formats/format.ts';
import { checkSplitBy, type SplitBy } from '@geomill/operations/split_by/record.ts';
import type { OutputRequest, SplitInto, SplitRequest } from '@geomill/pipeline/request.ts';
import { checkSplit } from '@geomill/pipeline/split-request.ts';
import { type Endpoint, optionNames } from './config-fields.ts';
import { type ConfigValues, invalid } from './config-values.ts';
import { requestErrors } from './messages.ts';
import { type OutputChoice, parseOptions } from './parse-format.ts';

export function parseOutput(
  values: ConfigValues,
  endpoint: Endpoint,
  { format, variant }: OutputChoice,
): OutputRequest {
  const crs = values.take('outputCrs');
  const toFile = values.take('toFile');
  const { value: layerName } = values.take('layerName');
  const split = parseSplit(values, format);
  const given = parseOptions(values, endpoint, 'output', format.writeOptions, undefined);
  const options = variant === null ? given : withVariant(given, variant, endpoint);
  const { mediaType = format.mediaType } = variantOf(format, options) ?? {};
  const isSequence = mediaType !== format.mediaType;
  if (toFile.value === false && (format.jsonSchema === null || isSequence))
    throw failure(requestErrors.INLINE_NOT_POSSIBLE, {
      path: field(toFile.path),
      format: isSequence ? `sequences of ${format.name}` : format.name,
    });
  const request: OutputRequest = {
    format: format.id,
    ...(crs.value === undefined
      ? { crs: defaultCrs(endpoint) }
      : { crs: parseOutputCrs(crs.value, crs.path), crsPath: crs.path }),
    ...(layerName === undefined ? {} : { layerName: String(layerName) }),
    toFile: toFile.value !== false,
    ...(split === null ? {} : { split }),
    options,
  };
  checkSplit(endpoint.operation, request, format);
  return request;
}

/** Null: the output is not split. Throws CONFIG_INVALID. */
function parseSplit(values: ConfigValues, format: Format): SplitRequest | null {
  const { value: by, path: byPath } = values.take('splitBy');
  const { value: into, path } = values.take('splitInto');
  if (by !== undefined) {
    checkSplitBy(by as SplitBy, byPath);
    return { field: by as SplitBy, into: (into as SplitInto | undefined) ?? format.parts };
  }
  if (into !== undefined)
    throw invalid(path, "needs 'split_by', the field or expression by which the output is split");
  return null;
}

/** An append keeps the CRS of its target. */
function defaultCrs({ operation, keepsCrs }: Endpoint): CrsText | null {
  return operation === 'append' || keepsCrs === true ? SOURCE_CRS : null;
}

/** The options with that of a variant which the name of the format selects. */
function withVariant(
  options: Readonly<Record<string, unknown>>,
  { names, option, values: [value, ...others] }: OutputVariant,
  endpoint: Endpoint,
): Readonly<Record<string, unknown>> {
  const stated = options[option];
  if (stated !== undefined && stated !== value && !others.includes(stated))
    throw invalid(
      optionNames('output', option, endpoint)[0],
      `contradicts the format '${names[0]}'; state it once`,
    );
  return { ...options, [option]: stated ?? value };
}
