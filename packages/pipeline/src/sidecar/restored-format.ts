/**
 * The format of a file of the conversion itself: the features of an input as its sidecar restores them. Only the pipeline writes and reads such
 * files; they have no name that a request could use.
 */
import type { InputFormat } from '@geomill/formats/format.ts';
import { inputFormatById } from '@geomill/formats/format-by-id.ts';

/** No id of a registered format has this character. */
export const RESTORED = 'restored*';

const restoredFormat: InputFormat = {
  id: RESTORED,
  name: 'file with a sidecar',
  title: 'file with a sidecar',
  summary: '',
  aliases: [],
  extensions: [],
  signatures: [],
  sample: '',
  jsonSchema: null,
  isWarmedUp: false,
  mediaType: 'application/octet-stream',
  outputExtension: '',
  inputCrs: 'file',
  outputLayers: 'many',
  parts: 'layers',
  holdsIds: true,
  outputFields: 'declared',
  mixedValues: 'kept',
  errors: {},
  findings: {},
  readOptions: { type: 'object', properties: {}, additionalProperties: false },
  writeOptions: { type: 'object', properties: {}, additionalProperties: false },
  loadReader: async () => (await import('./read.ts')).reader,
  loadWriter: null,
};

/** The format that the pipeline reads an input in. Throws FORMAT_UNKNOWN. */
export function formatRead(id: string): InputFormat {
  return id === RESTORED ? restoredFormat : inputFormatById(id, 'input.format');
}
