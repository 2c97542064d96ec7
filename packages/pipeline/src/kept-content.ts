/** What an output keeps of an input of its own format besides features: metadata and styles of layers, and tables of a whole file. */
import type { Format } from '@geomill/formats/format.ts';
import type { ConversionRequest } from './request.ts';

const OF_LAYERS = 'LAYER_CONTENT_DROPPED';
const OF_FILES = 'FILE_CONTENT_DROPPED';
const TABLES = 'ATTRIBUTES_SKIPPED';

/** Codes of findings about content of the inputs that the output has as well. */
export function keptContent(request: ConversionRequest, format: Format): ReadonlySet<string> {
  if (!keepsLayers(request, format)) return new Set();
  if (request.output.existing !== undefined) return new Set([OF_LAYERS]);
  return new Set([OF_LAYERS, OF_FILES, ...(keepsFile(request, format) ? [TABLES] : [])]);
}

/** An appended file gets features alone, and parts of a layer are no copy of it. */
export function keepsLayers({ operation, input, output }: ConversionRequest, format: Format): boolean {
  return (
    format.keepsOtherContent === true &&
    operation !== 'append' &&
    output.split === undefined &&
    input.files.every(({ own }) => (own?.format ?? input.format) === format.id)
  );
}

/** Whether a file is converted whole into a new one. */
export function keepsFile(request: ConversionRequest, format: Format): boolean {
  const { operation, input, output } = request;
  return (
    keepsLayers(request, format) &&
    operation === 'transform' &&
    input.layers === null &&
    output.existing === undefined
  );
}
