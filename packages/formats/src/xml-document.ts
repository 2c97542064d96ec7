/** The head of an XML document: its encoding, and its root element. */

import { encodingByName, isAsciiCompatible } from '@geomill/core/bytes/text-encoding.ts';
import { UTF8 } from '@geomill/core/bytes/utf8.ts';
import { isSingleByte, utf8Wins } from '@geomill/core/bytes/utf8-evidence.ts';
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { tagName } from '@geomill/core/text/xml-elements.ts';
import { XmlFault } from '@geomill/core/text/xml-fault.ts';
import type { XmlScanner } from '@geomill/core/text/xml-scanner.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import { ioErrors } from '@geomill/io/errors.ts';
import { type FileSegment, openSegment } from '@geomill/io/file-segment.ts';
import { sourceForm } from '@geomill/io/source-form.ts';
import { sampleTextFile } from '@geomill/io/text-samples.ts';
import { transcodeToUtf8 } from '@geomill/io/transcode.ts';
import { XmlWindow } from '@geomill/io/xml-window.ts';
import { latin1Text } from '@geomill/platform/bytes.ts';
import { fileSize, makeNewDirectory } from '@geomill/platform/files.ts';
import { endingOf, joinedPath } from '@geomill/platform/paths.ts';
import { formatErrors } from './errors.ts';
import { formatFindings } from './findings.ts';
import type { InputFile, OpenContext } from './reader.ts';
import { lookOf } from './recognise.ts';

const HEAD_BYTES = 1 << 16;
/** Characters between texts. */
const MARKUP = Array.from('<>"\'=\r\n', (character) => character.charCodeAt(0));

/** The document as UTF-8: in place, or converted. Throws INPUT_EMPTY, TEXT_ENCODING_UNKNOWN and TEXT_ENCODING_INVALID. */
export function inUtf8(
  segment: FileSegment,
  file: InputFile,
  { scratchDirectory, findings }: OpenContext,
): { readonly segment: FileSegment; readonly encoding: string } {
  using source = openSegment(segment);
  if (source.byteLength === 0) throw failure(generalErrors.INPUT_EMPTY, { source: segment.name });
  const encoding = encodingOf(source.slice(0, 1024));
  if (encoding === UTF8) return { segment, encoding };
  if (isSingleByte(encoding)) {
    const form = sourceForm(source);
    const isUtf8 = form === 'utf-8' && utf8Wins(encoding, sampleTextFile(source, MARKUP).texts);
    if (isUtf8) findings.note(formatFindings.ENCODING_CONTRADICTED, { file: file.name, encoding });
    if (isUtf8 || form === 'ascii') return { segment, encoding: UTF8 };
  }
  const path = joinedPath(
    makeNewDirectory(joinedPath(scratchDirectory, 'xml-')),
    `text.utf8${endingOf(segment.path)}`,
  );
  const advice = 'which the file states as its encoding; correct it, or convert the file to UTF-8';
  transcodeToUtf8(source, encoding, path, (offset) =>
    failure(ioErrors.TEXT_ENCODING_INVALID, { source: file.name, offset, encoding, advice }, { offset }),
  );
  return { segment: { path, name: segment.name, start: 0, byteLength: fileSize(path) }, encoding };
}

/** By the byte order mark, the first characters, or the XML declaration. */
function encodingOf(head: Uint8Array): string {
  const [a, b] = head;
  if (a === 0xff && b === 0xfe) return 'UTF-16LE';
  if (a === 0xfe && b === 0xff) return 'UTF-16BE';
  if (a === 0x3c && b === 0) return 'UTF-16LE';
  if (a === 0 && b === 0x3c) return 'UTF-16BE';
  const declared = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]*)["']/.exec(latin1Text(head));
  if (a === 0xef || declared === null) return UTF8;
  const encoding = encodingByName(declared[1]);
  if (encoding === null)
    throw failure(formatErrors.TEXT_ENCODING_UNKNOWN, { encoding: declared[1].slice(0, 40) });
  // A declaration that can be read as ASCII is not in UTF-16: it was left behind by a conversion to UTF-8.
  return isAsciiCompatible(encoding) ? encoding : UTF8;
}

/** The root element. */
export interface XmlRoot<Name extends string> {
  /** Offset of its start tag. */
  readonly start: number;
  readonly name: Name;
  /** Without the colon. */
  readonly prefix: Uint8Array;
}

/**
 * Finds the root element; `nameOf`: its name, given its prefix, or null if the document is not in the format `expected`. Throws
 * INPUT_WRONG_FORMAT and XML_SYNTAX.
 */
export function readXmlRoot<Name extends string>(
  source: ByteSource,
  fileName: string,
  expected: string,
  nameOf: (scanner: XmlScanner, prefix: Uint8Array) => Name | null,
): XmlRoot<Name> {
  const window = new XmlWindow(source, fileName);
  const { scanner } = window;
  const wrong = (found: string): GeomillError =>
    failure(generalErrors.INPUT_WRONG_FORMAT, { source: fileName, expected, found });
  for (let length = HEAD_BYTES; ; length *= 4) {
    window.load(0, length);
    scanner.depth = 0;
    const head = scanner.bytes.subarray(0, scanner.limit);
    const from = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
    const first = scanner.space(from);
    if (head[first] !== 0x3c) throw wrong(lookOf(head));
    try {
      scanner.tag(first);
      const { bytes, prefixStart, nameStart } = scanner;
      const prefix = bytes.slice(prefixStart, Math.max(prefixStart, nameStart - 1));
      const name = nameOf(scanner, prefix);
      if (name === null) throw wrong(otherXml(head, tagName(scanner), expected));
      return { start: scanner.tagStart, name, prefix };
    } catch (fault) {
      if (!(fault instanceof XmlFault)) throw fault;
      if (!window.needsMore(fault)) throw window.failureOf(fault);
    }
  }
}

function otherXml(head: Uint8Array, root: string, expected: string): string {
  const look = lookOf(head);
  return /XML/.test(look) || look === expected ? `XML whose root element is '${root}'` : look;
}
