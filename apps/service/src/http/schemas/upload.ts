/** Schemas of uploads. */
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import type { HeaderRecord } from '../operation.ts';
import { closedObject, count, FLAG, listOf, nullable, ref, TEXT, text, time } from './schema.ts';

const upload = closedObject({
  id: text('Id, which jobs name as their input.'),
  name: nullable(TEXT, 'File name; null: the client gave none.'),
  byte_length: nullable(count('Length of the file.'), 'Length of the file; null: not known yet.'),
  offset: count('Number of bytes that are stored.'),
  complete: { ...FLAG, description: 'Whether all bytes are stored; only then a job can use the upload.' },
  created_at: time('When the upload was created.'),
  expires_at: time('When it is deleted; later with each byte that is stored.'),
  url: { type: 'string', format: 'uri', description: 'Address of the upload.' },
});

export const uploadSchemas: Readonly<Record<string, JsonSchema>> = {
  Upload: { ...upload, description: 'A file that was uploaded on its own, or is being uploaded.' },
  UploadPage: {
    ...closedObject({
      uploads: listOf(ref('Upload'), 'Newest first.'),
      next_cursor: nullable(TEXT, 'Cursor of the next page; null on the last page.'),
    }),
    description: 'A page of uploads.',
  },
};

const header = (description: string, schema: JsonSchema = TEXT): HeaderRecord => ({ description, schema });
const bytes: JsonSchema = { type: 'integer', minimum: 0 };

export const tusResumable = {
  'Tus-Resumable': { ...header('`1.0.0`.', { const: '1.0.0' }), required: true },
};

export const uploadStateHeaders = {
  ...tusResumable,
  'Upload-Offset': { ...header('Number of bytes that are stored.', bytes), required: true },
  'Upload-Length': header('Length of the file, if it is known.', bytes),
  'Upload-Defer-Length': header('`1`: the length is not known yet.', { const: '1' }),
  'Upload-Metadata': header('As it was sent when the upload was created.'),
  'Upload-Expires': header('When the upload is deleted.'),
} as const satisfies Record<string, HeaderRecord>;

export const tusCapabilityHeaders = {
  ...tusResumable,
  'Tus-Version': header('`1.0.0`.'),
  'Tus-Extension': header('Supported extensions of the protocol.'),
  'Tus-Max-Size': header('Maximum length of an upload in bytes (MAX_UPLOAD).', bytes),
  'Tus-Checksum-Algorithm': header('Supported algorithms of `Upload-Checksum`.'),
} as const satisfies Record<string, HeaderRecord>;
