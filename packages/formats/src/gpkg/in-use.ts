/** Moves a complete GeoPackage to its final name, unless another program uses the file that has the name. */

import { failure } from '@geomill/core/messages/errors.ts';
import { openFileSource } from '@geomill/io/byte-source.ts';
import { type ExpectedFile, moveIntoPlace } from '@geomill/io/output-place.ts';
import { fileFacts } from '@geomill/platform/files.ts';
import { hasContent } from '@geomill/sqlite/database-pages.ts';
import { lockForWriting } from '@geomill/sqlite/write-lock.ts';
import { gpkgErrors } from './messages.ts';

const JOURNAL_MAGIC_BYTES = 8;

/**
 * Throws OUTPUT_IN_USE for a database with a log. An open connection keeps a log, even an empty one; SQLite would apply it
 * to the database that takes the place of the file.
 */
export function refuseInUse(path: string, name: string): void {
  if (fileFacts(`${path}-wal`) !== null)
    throw failure(gpkgErrors.OUTPUT_IN_USE, { file: name, beside: `${name}-wal` });
  if (isHot(`${path}-journal`))
    throw failure(gpkgErrors.OUTPUT_IN_USE, { file: name, beside: `${name}-journal` });
}

/** SQLite leaves an ended journal empty, or with zeros as its first bytes (`journal_mode = persist`). */
function isHot(journal: string): boolean {
  if (!hasContent(journal)) return false;
  using source = openFileSource(journal);
  return source.slice(0, JOURNAL_MAGIC_BYTES).some((byte) => byte !== 0);
}

/** As `moveIntoPlace`. Throws OUTPUT_IN_USE, OUTPUT_LOCKED and OUTPUT_CHANGED. */
export function moveDatabaseIntoPlace(
  partial: string,
  path: string,
  name: string,
  expected: readonly ExpectedFile[] | undefined,
): void {
  refuseInUse(path, name);
  using lock = isReplaced(path, expected) ? lockForWriting(path) : null;
  if (lock?.isTaken) throw failure(gpkgErrors.OUTPUT_LOCKED, { file: name });
  moveIntoPlace([{ partial, path }], expected);
}

/**
 * Throws OUTPUT_LOCKED if the output replaces a database that another program is writing to, even if it has written nothing
 * so far.
 */
export function refuseLocked(
  path: string,
  name: string,
  expected: readonly ExpectedFile[] | undefined,
): void {
  using lock = isReplaced(path, expected) ? lockForWriting(path) : null;
  if (lock?.isTaken) throw failure(gpkgErrors.OUTPUT_LOCKED, { file: name });
}

function isReplaced(path: string, expected: readonly ExpectedFile[] | undefined): boolean {
  return expected?.some((file) => file.path === path && file.state !== null) ?? false;
}
