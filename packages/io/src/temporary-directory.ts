/** The directory for the temporary files of a command, below TMPDIR. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { makeDirectory, makeNewDirectory, removeDirectory } from '@geomill/platform/files.ts';
import { joinedPath } from '@geomill/platform/paths.ts';
import { NO_DIRECTORY, temporaryRoot } from '@geomill/platform/temporary-paths.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such directory',
  ENOTDIR: 'it is not a directory',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  ELOOP: 'its symbolic links lead in a circle',
  ENAMETOOLONG: 'the name is too long',
};

interface SystemError extends Error {
  readonly code?: string;
}

export class TemporaryDirectory {
  /** Does not exist if it could not be created: many conversions write no temporary files. */
  readonly path: string;
  readonly #parent: string;
  /** Why it could not be created; null: it exists. */
  readonly #cause: SystemError | null;

  constructor(prefix = 'geomill-', parent = temporaryRoot()) {
    this.#parent = parent;
    try {
      this.path = makeNewDirectory(joinedPath(this.#parent, prefix));
      this.#cause = null;
    } catch (error) {
      // Nothing can be created below a device, so that every use fails.
      this.path = joinedPath(NO_DIRECTORY, prefix);
      this.#cause = error as SystemError;
    }
  }

  /** A directory that can be used. Throws SETTING_INVALID. */
  static required(prefix: string, parent?: string): TemporaryDirectory {
    const directory = new TemporaryDirectory(prefix, parent);
    if (directory.#cause !== null) throw directory.#refusal(directory.#cause);
    return directory;
  }

  /** The path of a directory in it, which exists if this one does. */
  directory(name: string): string {
    const path = joinedPath(this.path, name);
    if (this.#cause === null) makeDirectory(path);
    return path;
  }

  /** SETTING_INVALID for the failed use of a directory that could not be created; any other error as it is. */
  explained(error: unknown): unknown {
    return this.#cause !== null && isAbout(error, this.path) ? this.#refusal(this.#cause) : error;
  }

  remove(): void {
    if (this.#cause === null) removeDirectory(this.path);
  }

  #refusal(cause: SystemError): Error {
    const why = REASONS[cause.code ?? ''] ?? cause.message;
    const reason = `temporary files cannot be written there: ${why}; set TMPDIR to a directory that can be written`;
    return failure(
      generalErrors.SETTING_INVALID,
      { name: 'TMPDIR', value: this.#parent, reason },
      undefined,
      cause,
    );
  }
}

/** Whether the message of an error or of one of its causes has the path. */
function isAbout(thrown: unknown, path: string): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause)
    if (error.message.includes(path)) return true;
  return false;
}
