/** The code that reads the inputs of a conversion and writes its output. */
import type { Format, FormatReader, FormatWriter } from '../formats/format.ts';
import { inputFormatById, outputFormatById } from '../formats/format-by-id.ts';
import type { ConversionRequest } from './request.ts';

export interface InputCodec {
  readonly format: Format;
  readonly reader: FormatReader;
}

export interface Codecs {
  /** `first`: of the first file, which is the target of an append. */
  readonly input: InputCodec & { readonly first: InputCodec };
  readonly output: { readonly format: Format; readonly writer: FormatWriter };
}

/** Throws FORMAT_UNKNOWN. */
export async function loadCodecs({ input, output }: ConversionRequest): Promise<Codecs> {
  const format = inputFormatById(input.format, 'input.format');
  const firstFormat = inputFormatById(input.targetFormat ?? format.id, 'input.format');
  const outputFormat = outputFormatById(output.format, 'output.format');
  const [reader, firstReader, writer] = await Promise.all([
    format.loadReader(),
    firstFormat.loadReader(),
    outputFormat.loadWriter(),
  ]);
  return {
    input: { format, reader, first: { format: firstFormat, reader: firstReader } },
    output: { format: outputFormat, writer },
  };
}
