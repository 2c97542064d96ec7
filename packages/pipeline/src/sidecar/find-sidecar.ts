/** Finds the sidecars of inputs, and has the features restored that have one: the file of its name beside an input, or a member of its archive. */
import { Findings } from '@geomill/core/messages/findings.ts';
import { SIDECAR_EXTENSION } from '@geomill/formats/sidecar-options.ts';
import { fileHead, openFileSource } from '@geomill/io/byte-source.ts';
import { GZIP_EXTENSION } from '@geomill/io/gzip.ts';
import { ScratchSpace } from '@geomill/io/scratch-space.ts';
import { isZip } from '@geomill/io/zip-names.ts';
import { fileFacts, makeDirectory } from '@geomill/platform/files.ts';
import { joinedPath } from '@geomill/platform/paths.ts';
import { withoutGzip } from '../open-inputs.ts';
import type { ConversionPaths, InputPath, InputRequest } from '../request.ts';
import { formatRead, RESTORED } from './restored-format.ts';

/** At the end of an archive, where its directory is. */
const SEARCHED_BYTES = 1 << 16;
const EXTENSION = /\.[A-Za-z0-9]{1,10}$/;

/** The path of the sidecar of a file. */
export function sidecarPath(path: string): string {
  return path.replace(GZIP_EXTENSION, '').replace(EXTENSION, '') + SIDECAR_EXTENSION;
}

/** Where a sidecar is. */
export interface FoundSidecar {
  /** Of the sidecar or of the archive. */
  readonly path: string;
  readonly isMember: boolean;
}

function findSidecar({ path }: InputPath): FoundSidecar | null {
  const facts = fileFacts(path);
  if (facts === null || facts.isDirectory) return null;
  const beside = sidecarPath(path);
  if (fileFacts(beside)?.isDirectory === false) return { path: beside, isMember: false };
  return path.toLowerCase().endsWith('.geomill.json') || !hasMember(path) ? null : { path, isMember: true };
}

/** Whether the end of the directory of an archive names a sidecar, which geomill writes as the last member. */
function hasMember(path: string): boolean {
  if (!isZip(fileHead(path, 4))) return false;
  using archive = openFileSource(path);
  const tail = archive.slice(Math.max(0, archive.byteLength - SEARCHED_BYTES), archive.byteLength);
  return new TextDecoder('latin1').decode(tail).includes(SIDECAR_EXTENSION);
}

/** The file that the sidecar describes, unpacked if it is compressed, or the one file that is in an archive with its sidecar. */
async function plainFile(
  file: InputPath,
  { isMember }: FoundSidecar,
  format: string,
  { limits }: Pick<ConversionPaths, 'limits'>,
  directory: string,
  signal: AbortSignal,
): Promise<InputPath> {
  if (!isMember) {
    makeDirectory(directory);
    const inputs = await withoutGzip(
      { inputs: [file], scratchDirectory: directory, limits },
      new ScratchSpace(),
      signal,
    );
    return inputs[0];
  }
  if (formatRead(format).outputExtension === '.zip') return file;
  const { unpackOne } = await import('./packed-output.ts');
  return unpackOne(file, limits, directory);
}

export interface RestoredInputs {
  readonly input: InputRequest;
  readonly inputs: readonly InputPath[];
  /** Of reading the sidecars. */
  readonly findings: Findings;
}

/**
 * The inputs with the features of files with a sidecar in place of these files. `isOne`: the request has one input, and no other file has its format.
 * The target of an append is read as it is, because its file gets the features.
 */
export async function restoredInputs(
  input: InputRequest,
  operation: 'transform' | 'append' | 'merge' | 'inspect',
  paths: Pick<ConversionPaths, 'inputs' | 'limits' | 'scratchDirectory'>,
  signal: AbortSignal,
): Promise<RestoredInputs | null> {
  const found = paths.inputs.map((file, i) => (operation === 'append' && i === 0 ? null : findSidecar(file)));
  if (found.every((one) => one === null)) return null;
  const { restore } = await import('./restore.ts');
  const findings = new Findings();
  const inputs = [...paths.inputs];
  const files = [...input.files];
  for (const [i, sidecar] of found.entries()) {
    if (sidecar === null) continue;
    const own = files[i].own ?? { format: input.format, options: input.options };
    const path = joinedPath(paths.scratchDirectory, `restored-${i + 1}`);
    const file = await plainFile(inputs[i], sidecar, own.format, paths, `${path}-file`, signal);
    const setting = { ...own, file, limits: paths.limits, path, findings, signal };
    const isRestored = await restore(sidecar, setting);
    inputs[i] = { ...file, path: isRestored ? path : file.path };
    if (!isRestored) continue;
    files[i] = { ...files[i], own: { format: RESTORED, options: {} } };
  }
  const isWhole = files.every(({ own }) => own?.format === RESTORED);
  return {
    // Where all files were restored, they decide what is asked of the format of the inputs.
    input: isWhole
      ? { ...input, files, format: RESTORED, options: {}, statedFormat: input.format }
      : { ...input, files },
    inputs,
    findings,
  };
}
