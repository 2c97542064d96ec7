/** The encoding of a drawing's texts, from what its HEADER says. */
import { encodingByName, UTF8, WINDOWS_1252 } from '../../../bytes/text-encoding.ts';
import { failure } from '../../../errors.ts';
import type { Findings } from '../../../findings.ts';
import type { TagFacts } from '../head/drawing-state.ts';
import type { HeaderVariables } from '../head/header.ts';

/** From AutoCAD 2007 on texts are UTF-8, whatever $DWGCODEPAGE says. */
const FIRST_UTF8_VERSION = 1021;

/**
 * UTF-8 from AC1021 on, with the code page for texts that are not valid in it (programs that write the new version
 * number and the old encoding are common); $DWGCODEPAGE before. Where an old file does not state it, a text that is
 * valid UTF-8 is UTF-8: hardly any text of a code page is by accident. `requested` overrides all of it.
 */
export function drawingEncoding(
  header: HeaderVariables,
  requested: string | null,
  fileName: string,
  findings: Findings,
): Pick<TagFacts, 'encoding' | 'fallbackEncoding'> {
  if (requested !== null) {
    const encoding = encodingByName(requested);
    if (encoding === null) throw failure('TEXT_ENCODING_UNKNOWN', { encoding: requested });
    return { encoding, fallbackEncoding: null };
  }
  const { version, codePage } = header;
  const stated = codePage === null ? null : encodingByName(codePage);
  if (codePage !== null && stated === null)
    findings.note('ENCODING_NAME_UNKNOWN', { file: fileName, name: codePage });
  const isUtf8 = Number(/^AC(\d{4})$/i.exec(version)?.[1] ?? 0) >= FIRST_UTF8_VERSION;
  if (isUtf8 || stated === null) {
    const fallbackEncoding = stated === null || stated === UTF8 ? WINDOWS_1252 : stated;
    return { encoding: UTF8, fallbackEncoding };
  }
  return { encoding: stated, fallbackEncoding: null };
}
