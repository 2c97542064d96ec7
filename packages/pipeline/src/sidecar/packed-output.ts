/** Outputs of one file that are delivered as an archive with their sidecars. */
import { failure } from '@geomill/core/messages/errors.ts';
import { SIDECAR_EXTENSION } from '@geomill/formats/sidecar-options.ts';
import { openFileSource } from '@geomill/io/byte-source.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import { UnpackBudget } from '@geomill/io/unpack-budget.ts';
import { MAX_MEMBER_BYTES } from '@geomill/io/zip-directory.ts';
import { readZipDirectory, unpackEntry } from '@geomill/io/zip-read.ts';
import { ZipWriter } from '@geomill/io/zip-write.ts';
import { renameFile } from '@geomill/platform/file-state.ts';
import { fileSize, makeDirectory, removeFile } from '@geomill/platform/files.ts';
import { fileName, joinedPath } from '@geomill/platform/paths.ts';
import { pipelineErrors } from '../errors.ts';
import type { InputPath } from '../request.ts';

const COPIED_BYTES = 4 << 20;

/** Replaces the file at `path` with an archive that has it as `name`, and its sidecar. Throws SIDECAR_FILE_TOO_LARGE. */
export async function packOutput(
  path: string,
  name: string,
  sidecar: { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> } | null,
): Promise<void> {
  const bytes = fileSize(path);
  if (bytes >= MAX_MEMBER_BYTES)
    throw failure(pipelineErrors.SIDECAR_FILE_TOO_LARGE, { file: name, bytes, limit: MAX_MEMBER_BYTES });
  const content = `${path}.content`;
  renameFile(path, content);
  const archive = new ZipWriter(path);
  try {
    using source = openFileSource(content);
    const member = archive.addMember(name, 0);
    for (let at = 0; at < source.byteLength; at += COPIED_BYTES)
      member.append(source.slice(at, at + COPIED_BYTES));
    if (sidecar !== null) archive.addMember(sidecar.name, 0).append(sidecar.bytes);
    await archive.finish();
  } catch (error) {
    archive.abort();
    throw error;
  } finally {
    removeFile(content);
  }
}

/** The one file in an archive with a sidecar, unpacked into the new `directory`; the archive itself if there are others. Throws ZIP_INVALID. */
export async function unpackOne(
  archive: InputPath,
  limits: InputLimits,
  directory: string,
): Promise<InputPath> {
  const entries = await readZipDirectory(archive.path, archive.name, new UnpackBudget(limits));
  const files = entries.filter(({ name }) => !name.endsWith('/') && !name.endsWith(SIDECAR_EXTENSION));
  if (files.length !== 1) return archive;
  makeDirectory(directory);
  const [entry] = files;
  const segment = await unpackEntry(archive.path, entry, archive.name, joinedPath(directory, 'file'));
  return segment.path === archive.path ? archive : { path: segment.path, name: fileName(entry.name) };
}
