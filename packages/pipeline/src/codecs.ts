/** The code that reads the inputs of a conversion and writes its output. */
import type { Format } from '@geomill/formats/format.ts';
import { outputFormatById } from '@geomill/formats/format-by-id.ts';
import type { FormatReader } from '@geomill/formats/reader.ts';
import type { FormatWriter } from '@geomill/formats/writer.ts';
import type { ConversionRequest } from './request.ts';
import { formatRead } from './sidecar/restored-format.ts';

export interface InputCodec {
  readonly format: Format;
  readonly reader: FormatReader;
}

export interface Codecs {
  /** `files`: of each file. */
  readonly input: InputCodec & { readonly files: readonly InputCodec[] };
  readonly output: { readonly format: Format; readonly writer: FormatWriter };
}

/** Throws FORMAT_UNKNOWN. */
export async function loadCodecs({ input, output }: ConversionRequest): Promise<Codecs> {
  const formats = input.files.map(({ own }, i) =>
    formatRead((i === 0 ? input.targetFormat : undefined) ?? own?.format ?? input.format),
  );
  const format = formatRead(input.format);
  const outputFormat = outputFormatById(output.format, 'output.format');
  const [readers, reader, writer] = await Promise.all([
    Promise.all(formats.map((one) => one.loadReader())),
    format.loadReader(),
    outputFormat.loadWriter(),
  ]);
  return {
    input: { format, reader, files: formats.map((one, i) => ({ format: one, reader: readers[i] })) },
    output: { format: outputFormat, writer },
  };
}
