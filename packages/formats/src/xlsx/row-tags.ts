/** Finds places in a sheet where rows begin, without reading it. */

import { CR, LF, SPACE, TAB } from '@geomill/core/text/ascii.ts';
import type { ByteView } from '@geomill/platform/bytes.ts';

const LESS = 0x3c;
const GREATER = 0x3e;
const SLASH = 0x2f;
const COLON = 0x3a;
/** Longer prefixes are not found. */
const MAX_PREFIX_BYTES = 64;
/** Bytes before and after a name that show whether it is that of a tag. */
export const ROW_TAG_BYTES = MAX_PREFIX_BYTES + '<:row>'.length;

const NAME = new TextEncoder().encode('row');
const ENDS_NAME = new Set([SPACE, TAB, LF, CR, GREATER, SLASH]);

/** Offset of the first start tag `<row`, with any prefix; -1: there is none. It may be in a comment or a text. */
export function rowTagIn(bytes: ByteView): number {
  for (let at = bytes.indexOf(NAME); at >= 0; at = bytes.indexOf(NAME, at + 1)) {
    if (!ENDS_NAME.has(bytes[at + 3])) continue;
    let start = at - 1;
    if (bytes[start] === COLON) {
      const least = Math.max(0, start - MAX_PREFIX_BYTES);
      do start--;
      while (start > least && bytes[start] !== LESS && !ENDS_NAME.has(bytes[start]));
    }
    if (bytes[start] === LESS) return start;
  }
  return -1;
}
