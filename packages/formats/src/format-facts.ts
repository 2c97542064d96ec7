/** The facts of a format for clients, as GET /v1/formats and the library list them. */
import { type Format, isInputFormat, isOutputFormat } from './format.ts';

export function formatFacts(format: Format) {
  const { fixedOutputCrs: fixed } = format;
  return {
    id: format.id,
    aliases: [...format.aliases],
    name: format.name,
    title: format.title,
    extensions: [...format.extensions],
    file_parts: format.fileParts === undefined ? null : [...format.fileParts],
    folder_extension: format.folderExtension ?? null,
    media_type: format.mediaType,
    output_extension: format.outputExtension,
    input: isInputFormat(format),
    output: isOutputFormat(format),
    input_crs: format.inputCrs,
    fixed_output_crs: fixed === undefined ? null : { crs: fixed.crs, unless: fixed.unless ?? null },
    layer_service: format.layerService ?? null,
    output_layers: format.outputLayers,
    split_into: format.parts,
    read_options_key: format.readOptionsKey ?? null,
    read_options: { ...format.readOptions },
    write_options: { ...format.writeOptions },
  };
}
