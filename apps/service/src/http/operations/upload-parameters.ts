/** What the operations on uploads have in common: their parameters and bodies. */
import { failure } from '@geomill/core/messages/errors.ts';
import type { JsonSchema } from '@geomill/core/schemas/schema-check.ts';
import type { FastifyRequest } from 'fastify';
import { jobErrors } from '../../jobs/errors.ts';
import type { MediaTypeRecord, Parameter } from '../operation.ts';
import { TEXT } from '../schemas/schema.ts';
import { PIECE_MEDIA_TYPE } from '../tus.ts';

export const UPLOAD_PATH = '/v1/uploads/{upload_id}';

export const versionHeader: Parameter = {
  in: 'header',
  name: 'Tus-Resumable',
  schema: { const: '1.0.0' },
  description: 'Version of the protocol.',
};
export const uploadIdParameter: Parameter = {
  in: 'path',
  name: 'upload_id',
  schema: TEXT,
  description: 'Id of the upload.',
  required: true,
};
export const headerParameter = (name: string, schema: JsonSchema, description: string): Parameter => ({
  in: 'header',
  name,
  schema,
  description,
});
export const BYTE_COUNT: JsonSchema = { type: 'integer', minimum: 0 };
export const checksumHeader = headerParameter(
  'Upload-Checksum',
  { type: 'string', examples: ['sha256 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='] },
  'Algorithm (`sha1`, `sha256`, `md5`) and checksum of the body in Base64. A body with another checksum is discarded (460).',
);
export const pieceContent: Record<string, MediaTypeRecord> = { [PIECE_MEDIA_TYPE]: { schema: {} } };

/** Throws UPLOAD_UNKNOWN. */
export function uploadIdOf({ params }: FastifyRequest): string {
  const { upload_id: id } = params as { readonly upload_id: string };
  if (id.length > 100) throw failure(jobErrors.UPLOAD_UNKNOWN, { id: id.slice(0, 100) });
  return id;
}
