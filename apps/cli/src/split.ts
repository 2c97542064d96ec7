/** `--split-by`: what it asks of the pipeline, and the files of a directory that get the parts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { type Format, isOutputFormat, outputKind } from '@geomill/formats/format.ts';
import { type ExpectedFile, moveIntoPlace } from '@geomill/io/output-place.ts';
import { fileNameKey } from '@geomill/io/safe-name.ts';
import { isZipName } from '@geomill/library/choose-format.ts';
import type { OutputRequest, SplitRequest } from '@geomill/pipeline/request.ts';
import type { Parsed } from './arguments.ts';
import { checkOutput, makeDirectory } from './files.ts';

/** A directory that gets the files of split outputs. */
export interface SplitDirectory {
  readonly path: string;
  /** Comes before the names of the files. */
  readonly prefix?: string;
  /** Files of this command that are in it, as `fileKey` of their paths. */
  readonly taken: Set<string>;
}

/** The request of `--split-by`; null: it was not given. Throws USAGE. */
export function splitOf(
  { values }: Parsed,
  output: string,
  directory: SplitDirectory | undefined,
  format: Format,
  options: OutputRequest['options'],
): SplitRequest | null {
  const field = values['split-by'];
  if (typeof field !== 'string') return null;
  if (directory === undefined) {
    if (isArchive(output, format, options)) return { field, into: 'files' };
    if (format.parts === 'layers') return { field, into: 'layers' };
    throw failure(generalErrors.USAGE, {
      detail: `'${output}' cannot hold a ${format.name} file for each value: use --out-dir DIR --to ${format.id} in place of it, or the name of a .zip`,
    });
  }
  return { field, into: 'files', ...(directory.prefix === undefined ? {} : { prefix: directory.prefix }) };
}

/** Whether an output path can get several files, in a zip. To standard output only formats that are zips anyway. */
export function isArchive(output: string, format: Format, options: OutputRequest['options']): boolean {
  return output === '-' ? outputKind(format, options).outputExtension === '.zip' : isZipName(output);
}

export function fileKey(path: string): string {
  return fileNameKey(resolve(path));
}

/** Files on their way into a directory: all of them, or none. */
export class StagedFiles {
  /** Empty, for the files while they are written. */
  readonly path: string;
  readonly #directory: SplitDirectory;
  #names: readonly string[] = [];
  readonly #expected: ExpectedFile[] = [];

  constructor(directory: SplitDirectory) {
    makeDirectory(directory.path);
    this.#directory = directory;
    this.path = mkdtempSync(join(directory.path, '.geomill-'));
  }

  /** Throws USAGE for names of files that must not be replaced. `read`: the inputs; `report`: path of the report. */
  check(names: readonly string[], read: readonly string[], overwrite: boolean, report: unknown): void {
    const { path, taken } = this.#directory;
    const reportKey = typeof report === 'string' ? fileKey(report) : null;
    for (const name of names) {
      const output = join(path, name);
      const key = fileKey(output);
      if (taken.has(key))
        throw failure(generalErrors.USAGE, {
          detail: `'${output}' would be written twice; convert the files to different directories`,
        });
      if (key === reportKey)
        throw failure(generalErrors.USAGE, {
          detail: `--report '${String(report)}' is an output itself; give the report another name`,
        });
      const { expected = [] } = checkOutput(output, { inputs: read, overwrite, isUpdate: false });
      this.#expected.push(...expected);
    }
    this.#names = names;
    for (const name of names) taken.add(fileKey(join(path, name)));
  }

  /** Moves the files into the directory. Throws OUTPUT_CHANGED and OUTPUT_IN_USE, and then moves none. */
  async deliver(format: Format): Promise<void> {
    const files = this.#names.map((name) => ({
      partial: join(this.path, name),
      path: join(this.#directory.path, name),
    }));
    const writer = isOutputFormat(format) ? await format.loadWriter() : null;
    for (const { path } of files) writer?.refuseInUse?.(path);
    moveIntoPlace(files, this.#expected);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
