/** Reads DWG (AutoCAD drawings), R14 to 2018: translated into tags once, then read as a DXF. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { openFileSource } from '@geomill/io/byte-source.ts';
import { fileBytes, fileSize, makeNewDirectory } from '@geomill/platform/files.ts';
import { joinedPath } from '@geomill/platform/paths.ts';
import type { FormatReader, InputFile, OpenContext, SourceLayer } from '../../reader.ts';
import type { DrawingState } from '../head/drawing-state.ts';
import { openDrawing } from '../head/open.ts';
import { dwgErrors } from '../messages.ts';
import { reader as drawings } from '../read.ts';
import { MAX_DWG_BYTES } from './facts.ts';
import { drawingVersion } from './versions.ts';

export const reader: FormatReader = {
  typing: drawings.typing,
  mixedType: drawings.mixedType,
  ids: drawings.ids,

  async open(file: InputFile, context: OpenContext): Promise<readonly SourceLayer[]> {
    const path = await translated(file, context);
    using source = openFileSource(path);
    const layer = openDrawing(source, { path, name: file.name }, context);
    const crsMissingReason = layer.crsMissingReason.replace('a DXF', 'a DWG');
    const state: DrawingState = { ...(layer.state as DrawingState), isTranslated: true };
    return [{ ...layer, crsMissingReason, state }];
  },

  describeText: drawings.describeText,
  otherContent: drawings.otherContent,
  readPartition: drawings.readPartition,
};

/** The path of the drawing as tags. Threads that read partitions do not load the parser. */
async function translated({ path, name }: InputFile, context: OpenContext): Promise<string> {
  const actual = fileSize(path);
  if (actual === 0) throw failure(generalErrors.INPUT_EMPTY, { source: name });
  const version = drawingVersion(headOf(path), name);
  if (actual > MAX_DWG_BYTES)
    throw failure(dwgErrors.DWG_TOO_LARGE, { source: name, actual, what: 'bytes', limit: MAX_DWG_BYTES });
  const { translateDrawing } = await import('./translate.ts');
  const target = joinedPath(makeNewDirectory(joinedPath(context.scratchDirectory, 'dwg-')), 'drawing.tags');
  // A copy, because small files share the memory of others.
  translateDrawing(new Uint8Array(fileBytes(path)), version, name, target, context.findings);
  return target;
}

function headOf(path: string): Uint8Array {
  using source = openFileSource(path);
  return source.slice(0, 64);
}
