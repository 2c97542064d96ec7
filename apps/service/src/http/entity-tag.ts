/** Entity tags (RFC 9110 8.8.3). */
import { createHash } from 'node:crypto';

/** A strong entity tag, derived from the content. */
export function entityTagOf(content: string | Uint8Array): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}

/** Whether an If-None-Match header names the tag, using the weak comparison that the RFC requires. */
export function matchesEntityTag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((given) => {
    const tag = given.trim().replace(/^W\//, '');
    return tag === '*' || tag === etag;
  });
}
