/** Tells whether a file that was cut off at any place would be noticed when it is read. */
import { closeSync, openSync, readSync } from 'node:fs';

const HEAD_BYTES = 64 << 10;
/** RFC 8142 puts it before each text of a sequence. */
const RECORD_SEPARATOR = 0x1e;
/** Text has no control characters before the tab. */
const TAB = 9;

/**
 * Archives, databases, XML, drawings and JSON documents have an end that is missed. Tables of text and sequences of JSON texts are
 * valid without their last lines.
 */
export function hasEndMark(path: string): boolean {
  const head = headOf(path);
  if (head[0] === RECORD_SEPARATOR) return false;
  if (isBinary(head)) return true;
  const text = head.toString('latin1').replace(/^(?:\xef\xbb\xbf)?\s*/, '');
  if (/^[<[]/.test(text) || /^(?:999\s*\n[^\n]*\n\s*)*0\s*\n\s*SECTION/.test(text)) return true;
  return text.startsWith('{') && !isSequence(text);
}

function headOf(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

/** UTF-16 has zero bytes, too. */
function isBinary(head: Buffer): boolean {
  const isUtf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  return !isUtf16 && (head.subarray(0, 4).toString('latin1') === 'PAR1' || head.some((byte) => byte < TAB));
}

/** Whether the first line is a whole text and others follow it. */
function isSequence(text: string): boolean {
  const end = text.indexOf('\n');
  if (end < 0 || text.slice(end).trim() === '') return false;
  try {
    JSON.parse(text.slice(0, end));
    return true;
  } catch {
    // The document goes on in the next line.
    return false;
  }
}
