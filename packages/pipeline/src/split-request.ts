/** What requests to split an output mean, and which are possible. Pure. */
import { failure } from '@geomill/core/messages/errors.ts';
import { formatErrors } from '@geomill/formats/errors.ts';
import { type Format, outputKind } from '@geomill/formats/format.ts';
import type { ConversionRequest, JobRequest, OutputRequest } from './request.ts';

const ZIP = { mediaType: 'application/zip', outputExtension: '.zip' } as const;

/**
 * Media type and ending of an output: those of an archive if it is split into files, or has a sidecar, which is in the archive unless the path of
 * the output has another ending.
 */
export function deliveredKind(
  format: Format,
  { options, split, toFile }: Pick<OutputRequest, 'options' | 'split' | 'toFile'>,
): Pick<Format, 'mediaType' | 'outputExtension'> {
  const isPacked = split === undefined && options.sidecar === true && toFile;
  return split?.into === 'files' || isPacked ? ZIP : outputKind(format, options);
}

/** Throws SPLIT_NOT_POSSIBLE. */
export function checkSplit(
  operation: JobRequest['operation'],
  { split, existing, toFile }: ConversionRequest['output'],
  format: Pick<Format, 'name' | 'parts'>,
): void {
  if (split === undefined) return;
  if (operation === 'merge')
    throw refused('a merge makes one layer', 'merge first, and split the result in another job');
  if (operation === 'append')
    throw refused(
      'an append keeps the layers of its target',
      'append first, and split the result in another job',
    );
  if (split.into === 'layers' && format.parts !== 'layers')
    throw refused(`an output in the format ${format.name} has no layers to split into`, 'split into files');
  if (split.into === 'files' && existing !== undefined)
    throw refused('only layers can be added to an existing file', 'split into layers, or write new files');
  if (!toFile) throw refused('its parts are files', 'do not request the FeatureCollection itself');
}

function refused(reason: string, advice: string): Error {
  return failure(formatErrors.SPLIT_NOT_POSSIBLE, { reason, advice });
}
