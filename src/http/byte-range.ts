/** The Range header (RFC 9110 14.2), for one range of bytes. */

export interface ByteRange {
  readonly start: number;
  readonly end: number; // exclusive
}

/**
 * The range that is asked for. 'whole': none, or a header to be ignored (other units, several ranges, bad syntax), as
 * the RFC allows. 'unsatisfiable': it lies outside of the `byteLength` bytes.
 */
export function parseRange(
  header: string | undefined,
  byteLength: number,
): ByteRange | 'whole' | 'unsatisfiable' {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.replaceAll(' ', '') ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return 'whole';
  if (match[1] === '') {
    const suffix = Math.min(Number(match[2]), byteLength);
    return suffix === 0 ? 'unsatisfiable' : { start: byteLength - suffix, end: byteLength };
  }
  const start = Number(match[1]);
  const last = match[2] === '' ? byteLength - 1 : Math.min(Number(match[2]), byteLength - 1);
  if (match[2] !== '' && Number(match[2]) < start) return 'whole';
  return start >= byteLength ? 'unsatisfiable' : { start, end: last + 1 };
}
