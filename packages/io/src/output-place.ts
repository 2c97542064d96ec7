/**
 * The last step of an output: it gets its name, and with it the place of a file that may be there. Another program may have
 * created or changed that file since the conversion began; then it stays as it is, and the output is an error.
 */
import { failure } from '@geomill/core/messages/errors.ts';
import { type FileState, renameFile, stateOfFile, takeOver } from '@geomill/platform/file-state.ts';
import { processId } from '@geomill/platform/process-facts.ts';
import { ioErrors } from './errors.ts';

/** What must be at a path when the output is moved there. Plain data. */
export interface ExpectedFile {
  readonly path: string;
  /** As the user knows it. */
  readonly name: string;
  /** Null: no file. */
  readonly state: FileState | null;
}

/** Number of unfinished outputs that this process has named. */
let unfinished = 0;

/**
 * The path of the unfinished output, without ending. Where a file is expected, several conversions, of this process or of others, may
 * write one output: each has files of its own, and the last step of all but one fails.
 */
export function unfinishedPath(path: string, expected: readonly ExpectedFile[] | undefined): string {
  if (expected === undefined) return path;
  unfinished += 1;
  return `${path}.${processId()}-${unfinished}`;
}

/** Null if there is no such file. */
export function fileState(path: string): FileState | null {
  using opened = new DisposableStack();
  return stateOfFile(path, opened);
}

/** Throws OUTPUT_CHANGED. */
export function requireExpected(file: ExpectedFile): void {
  using opened = new DisposableStack();
  requireState(file, opened);
}

function requireState({ path, name, state }: ExpectedFile, opened: DisposableStack): void {
  if (stateOfFile(path, opened)?.version !== state?.version)
    throw failure(ioErrors.OUTPUT_CHANGED, { file: name });
}

/**
 * Renames complete files to their final paths, with the permissions and the owner of the files that they replace. All are
 * checked before the first is renamed. Throws OUTPUT_CHANGED.
 */
export function moveIntoPlace(
  files: readonly { readonly partial: string; readonly path: string }[],
  expected: readonly ExpectedFile[] = [],
): void {
  const states = new Map(expected.map(({ path, state }) => [path, state]));
  for (const { partial, path } of files) {
    const replaced = states.get(path) ?? null;
    if (replaced !== null) takeOver(partial, replaced);
  }
  // Closed after the last rename: to close a file ends the locks of this process on it, such as that of SQLite.
  using opened = new DisposableStack();
  for (const file of expected) requireState(file, opened);
  for (const { partial, path } of files) renameFile(partial, path);
}
