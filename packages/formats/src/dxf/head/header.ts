/** The variables of the HEADER section that the reader needs. */
import { encodingByName, WINDOWS_1252 } from '@geomill/core/bytes/text-encoding.ts';
import { UTF8 } from '@geomill/core/bytes/utf8.ts';
import { isSingleByte } from '@geomill/core/bytes/utf8-evidence.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { formatErrors } from '../../errors.ts';
import { formatFindings } from '../../findings.ts';
import type { EncodingOrigin } from '../../reader.ts';
import type { EntityTags } from '../contract.ts';
import type { TagFacts } from './drawing-state.ts';

export interface HeaderVariables {
  /** $ACADVER, such as AC1032; empty if missing. */
  readonly version: string;
  /** $DWGCODEPAGE; null if missing. */
  readonly codePage: string | null;
  /** $INSUNITS; 0 if missing. */
  readonly insertionUnits: number;
  /** The longer side of $EXTMIN to $EXTMAX in drawing units; null if they are missing or invalid. */
  readonly extentUnits: number | null;
}

/** $EXTMIN and $EXTMAX of an empty drawing are +-1e20. */
const GREATEST_EXTENT = 1e15;

/** `tags` are those of the whole section; null for a drawing without one. */
export function headerVariables(tags: EntityTags | null): HeaderVariables {
  const first = new Map<string, number>();
  if (tags !== null)
    for (let i = 0; i + 1 < tags.count; i++)
      if (tags.codes[i] === 9) first.set(tags.text(i).trim().toUpperCase(), i + 1);
  const text = (name: string): string => {
    const at = first.get(name);
    return at === undefined || tags === null ? '' : tags.text(at).trim();
  };
  const real = (name: string, offset: number): number => {
    const at = first.get(name);
    if (at === undefined || tags === null || at + offset >= tags.count) return Number.NaN;
    return tags.real(at + offset);
  };
  const codePage = text('$DWGCODEPAGE');
  const units = Math.trunc(real('$INSUNITS', 0));
  const extent = Math.max(real('$EXTMAX', 0) - real('$EXTMIN', 0), real('$EXTMAX', 1) - real('$EXTMIN', 1));
  return {
    version: text('$ACADVER').toUpperCase(),
    codePage: codePage === '' ? null : codePage,
    insertionUnits: Number.isFinite(units) ? units : 0,
    extentUnits: extent > 0 && extent < GREATEST_EXTENT ? extent : null,
  };
}

/** From AutoCAD 2007 on texts are UTF-8, regardless of $DWGCODEPAGE. */
const FIRST_UTF8_VERSION = 1021;

/**
 * The encoding of a drawing's texts: UTF-8 from AC1021 on, with the code page for texts that are not valid UTF-8
 * (programs often write the new version number and the old encoding); $DWGCODEPAGE before, with UTF-8 for texts that are valid
 * UTF-8. If an old file has no code
 * page, text that is valid UTF-8 is read as UTF-8: text in a code page is almost never valid UTF-8. `requested`
 * overrides all of this.
 */
export function drawingEncoding(
  header: HeaderVariables,
  requested: string | null,
  fileName: string,
  findings: Findings,
): Pick<TagFacts, 'encoding' | 'fallbackEncoding'> & { readonly origin: EncodingOrigin } {
  if (requested !== null) {
    const encoding = encodingByName(requested);
    if (encoding === null) throw failure(formatErrors.TEXT_ENCODING_UNKNOWN, { encoding: requested });
    return { encoding, fallbackEncoding: null, origin: 'request' };
  }
  const { version, codePage } = header;
  const stated = codePage === null ? null : encodingByName(codePage);
  if (codePage !== null && stated === null)
    findings.note(formatFindings.ENCODING_NAME_UNKNOWN, { file: fileName, name: codePage });
  const isUtf8 = Number(/^AC(\d{4})$/i.exec(version)?.[1] ?? 0) >= FIRST_UTF8_VERSION;
  if (isUtf8 || stated === null) {
    const fallbackEncoding = stated === null || stated === UTF8 ? WINDOWS_1252 : stated;
    return { encoding: UTF8, fallbackEncoding, origin: isUtf8 ? 'file' : 'default' };
  }
  return { encoding: stated, fallbackEncoding: isSingleByte(stated) ? UTF8 : null, origin: 'file' };
}
