import type { Format } from '../format.ts';

export const shp: Format = {
  id: 'shp',
  title: 'ESRI Shapefile, zipped',
  extensions: ['.zip', '.shp'],
  mediaType: 'application/zip',
  outputExtension: '.zip',
  inputCrs: 'file',
  outputLayers: 'many',
  holdsIds: false,
  declaresFields: true,
  readOptions: {
    type: 'object',
    properties: {
      encoding: {
        type: 'string',
        minLength: 1,
        maxLength: 40,
        description:
          'Text encoding of the .dbf where neither a .cpg nor the .dbf itself states one, e.g. windows-1251.',
      },
    },
    additionalProperties: false,
  },
  writeOptions: { type: 'object', properties: {}, additionalProperties: false },
  loadReader: async () => (await import('./read.ts')).reader,
  loadWriter: async () => (await import('./write.ts')).writer,
};
