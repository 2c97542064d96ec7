/** The releases of AutoCAD by the first six characters of a DWG. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { latin1Text } from '@geomill/platform/bytes.ts';
import { lookOf } from '../../recognise.ts';
import { DWG_PATTERN } from '../format.ts';
import { dwgErrors } from '../messages.ts';

const MARK_BYTES = 6;

/** What the version is called, and whether it is read. */
interface Release {
  readonly name: string;
  readonly isRead: boolean;
  /** Texts are UTF-16; before, they are bytes in the code page of the drawing. */
  readonly isUnicode: boolean;
}

const old = (name: string): Release => ({ name, isRead: false, isUnicode: false });
const read = (name: string, isUnicode: boolean): Release => ({ name, isRead: true, isUnicode });

const RELEASES: Readonly<Record<string, Release>> = {
  'MC0.0': old('AutoCAD 1.0'),
  'AC1.2': old('AutoCAD 1.2'),
  'AC1.40': old('AutoCAD 1.40'),
  'AC1.50': old('AutoCAD 2.05'),
  'AC2.10': old('AutoCAD 2.10'),
  'AC2.21': old('AutoCAD 2.21'),
  'AC2.22': old('AutoCAD 2.22'),
  AC1001: old('AutoCAD 2.22'),
  AC1002: old('AutoCAD 2.5'),
  AC1003: old('AutoCAD 2.6'),
  AC1004: old('AutoCAD R9'),
  AC1006: old('AutoCAD R10'),
  AC1009: old('AutoCAD R11 or R12'),
  AC1010: old('AutoCAD R13 (before its release)'),
  AC1011: old('AutoCAD R13 (before its release)'),
  AC1012: old('AutoCAD R13'),
  AC1013: old('AutoCAD R14 (before its release)'),
  AC1014: read('AutoCAD R14', false),
  AC1015: read('AutoCAD 2000', false),
  AC1018: read('AutoCAD 2004', false),
  AC1021: read('AutoCAD 2007', true),
  AC1024: read('AutoCAD 2010', true),
  AC1027: read('AutoCAD 2013', true),
  AC1032: read('AutoCAD 2018', true),
};

export interface DrawingVersion {
  /** As in the file: AC1032. */
  readonly mark: string;
  readonly name: string;
  readonly isUnicode: boolean;
}

/** Throws INPUT_WRONG_FORMAT, DWG_VERSION. */
export function drawingVersion(head: Uint8Array, fileName: string): DrawingVersion {
  const text = latin1Text(head.subarray(0, MARK_BYTES));
  if (!DWG_PATTERN.test(text))
    throw failure(generalErrors.INPUT_WRONG_FORMAT, {
      source: fileName,
      expected: 'DWG',
      found: lookOf(head),
    });
  const mark = text.replace(/[^\w.].*$/s, '');
  const release: Release = Object.hasOwn(RELEASES, mark)
    ? RELEASES[mark]
    : old(`a version that geomill does not know (${mark})`);
  if (!release.isRead) throw failure(dwgErrors.DWG_VERSION, { source: fileName, version: release.name });
  return { mark, name: `${release.name} (${mark})`, isUnicode: release.isUnicode };
}
