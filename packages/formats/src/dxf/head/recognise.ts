/** Recognises a DXF and its two forms, and names other files that were given instead. */

import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { compareBytes, latin1Text } from '@geomill/platform/bytes.ts';
import { lookOf } from '../../recognise.ts';
import { SENTINEL } from '../tags/binary-tags.ts';
import type { TagForm } from './drawing-state.ts';

const HEAD_BYTES = 4096;

interface Recognised {
  readonly form: TagForm;
  /** Offset of the first tag: after the sentinel or a byte order mark. */
  readonly start: number;
}

/** Throws INPUT_EMPTY, INPUT_WRONG_FORMAT. */
export function recognise(source: ByteSource, fileName: string): Recognised {
  if (source.byteLength === 0) throw failure(generalErrors.INPUT_EMPTY, { source: fileName });
  const head = source.slice(0, HEAD_BYTES);
  if (compareBytes(head.subarray(0, SENTINEL.length), SENTINEL) === 0) {
    const at = SENTINEL.length;
    // The first tag is 0 SECTION or 999 and a comment: a one-byte code is directly followed by a letter.
    const isWide = head[at + 1] === 0 || (head[at] === 0xe7 && head[at + 1] === 0x03);
    return { form: isWide ? 'binary2' : 'binary1', start: at };
  }
  const start = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
  const text = latin1Text(head, start);
  if (/^\s*\d{1,4}[ \t]*[\r\n]/.test(text)) return { form: 'ascii', start };
  const found = damagedDxf(text) ?? lookOf(head);
  throw failure(generalErrors.INPUT_WRONG_FORMAT, { source: fileName, expected: 'DXF', found });
}

/** Null: not a kind of DXF at all. */
function damagedDxf(text: string): string | null {
  if (text.startsWith('AutoCAD Binary DXF'))
    return 'a binary DXF whose head is damaged, as by a transfer in text mode';
  return /^EXTENTS,/.test(text) ? 'a drawing of AutoCAD before release 2' : null;
}
