/** Positions in lists that are read page by page, as text. Opaque to clients, so that what it is made of can change. */
import { failure } from '@geomill/core/messages/errors.ts';
import type { ListPosition } from '../jobs/job.ts';
import { httpErrors } from './errors.ts';

export function cursorText({ createdAt, id }: ListPosition): string {
  return Buffer.from(`${createdAt} ${id}`).toString('base64url');
}

/** `things`: what the pages list. Throws QUERY_INVALID. */
export function parseCursor(text: string, things: string): ListPosition {
  const match = /^(\d{1,15}) ([\w-]{1,64})$/.exec(Buffer.from(text, 'base64url').toString());
  if (match === null)
    throw failure(httpErrors.QUERY_INVALID, {
      name: 'cursor',
      reason: `is '${text.slice(0, 60)}', which is not the 'next_cursor' of a page of ${things}; omit it for the first page`,
    });
  return { createdAt: Number(match[1]), id: match[2] };
}
