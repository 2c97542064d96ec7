/** Writes the sidecar of a complete output: into the archive that the output is, or to a file beside it. */
import { GeomillError } from '@geomill/core/messages/errors.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { type Format, outputKind } from '@geomill/formats/format.ts';
import type { SourceLayer } from '@geomill/formats/reader.ts';
import { SIDECAR_EXTENSION } from '@geomill/formats/sidecar-options.ts';
import type { OutputFile } from '@geomill/formats/writer.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import { addZipMember } from '@geomill/io/zip-append.ts';
import { fileSize, writeFile } from '@geomill/platform/files.ts';
import { endingOf, fileName, joinedPath } from '@geomill/platform/paths.ts';
import { pipelineFindings } from '../findings.ts';
import { describeLayer, NotDescribed } from './describe-layer.ts';
import { MAX_SIDECAR_BYTES, type SidecarLayer, sidecarText } from './document.ts';
import { sidecarPath } from './find-sidecar.ts';
import { KeptRoom, MAX_KEPT_BYTES } from './kept-values.ts';
import { LayerRows, RowsUnsuitable } from './layer-rows.ts';
import type { OriginalLayer, Originals } from './originals.ts';

export interface SidecarSetting {
  readonly format: Format;
  /** Write options. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Of the output. */
  readonly path: string;
  /** Name of the output without its extension. */
  readonly name: string;
  readonly limits: InputLimits;
  readonly scratchDirectory: string;
  readonly findings: Findings;
  readonly signal: AbortSignal;
}

/** Writes it, and returns the output as it is then. A layer whose losses cannot be undone is a finding. */
export async function writeSidecar(
  originals: Originals | null,
  output: OutputFile,
  setting: SidecarSetting,
): Promise<OutputFile> {
  const { name, format, options, findings } = setting;
  const { path } = output;
  const { mediaType, outputExtension } = outputKind(format, options);
  const layers = originals === null ? [] : await described(originals, setting);
  const text = layers.length === 0 ? null : sidecarText({ format: format.id, layers });
  let bytes = text === null ? null : new TextEncoder().encode(text);
  if (bytes !== null && bytes.length > MAX_SIDECAR_BYTES) {
    const reason = `it would have ${bytes.length} bytes, more than ${MAX_SIDECAR_BYTES}`;
    for (const { name: layer } of layers)
      findings.note(pipelineFindings.SIDECAR_NOT_WRITTEN, { layer, reason }, { layer });
    bytes = null;
  }
  const isArchive = isZipName(path);
  const sidecar = isArchive ? name + SIDECAR_EXTENSION : sidecarPath(path);
  if (isArchive && outputExtension !== '.zip') {
    const { packOutput } = await import('./packed-output.ts');
    await packOutput(path, name + outputExtension, bytes === null ? null : { name: sidecar, bytes });
  } else if (bytes !== null && isArchive) addZipMember(path, sidecar, bytes);
  else if (bytes !== null) writeFile(sidecar, bytes);
  if (bytes !== null)
    for (const { name: layer, fields } of layers)
      findings.note(
        pipelineFindings.SIDECAR_WRITTEN,
        { sidecar: fileName(sidecar), layer, fields: fields.length },
        { layer },
      );
  return isArchive ? { ...output, byteLength: fileSize(path) } : { ...output, mediaType };
}

async function described(originals: Originals, setting: SidecarSetting): Promise<SidecarLayer[]> {
  const { findings, path, name, limits, signal, format, scratchDirectory } = setting;
  const { outputExtension } = outputKind(format, setting.options);
  const reader = await format.loadReader?.();
  const room = new KeptRoom();
  const layers: SidecarLayer[] = [];
  const refuse = (layer: string, reason: string): void =>
    findings.note(pipelineFindings.SIDECAR_NOT_WRITTEN, { layer, reason }, { layer });
  if (reader === undefined) return layers;
  const file = await LayerRows.open({
    reader,
    // A file in an archive has a name of its own, and is not packed yet.
    file: { path, name: isZipName(path) ? name + outputExtension : fileName(path) },
    options: {},
    limits,
    scratchDirectory: joinedPath(scratchDirectory, 'written'),
    // They are about what was written, which has its own.
    findings: new Findings(),
    signal,
  });
  for (const [i, original] of originals.layers.entries()) {
    const { name: layer } = original.layer;
    const written = writtenLayer(original, originals.layers, file.layers);
    if (written === null) {
      refuse(layer, 'the file has no layer for it alone');
      continue;
    }
    const omit = (what: string): void =>
      findings.note(
        pipelineFindings.SIDECAR_VALUES_OMITTED,
        { layer, what, limit: MAX_KEPT_BYTES >> 20 },
        { layer },
      );
    try {
      const rows = { [Symbol.iterator]: () => originals.rows(i) };
      layers.push(await describeLayer(original, rows, file, written, room, omit));
    } catch (error) {
      if (error instanceof RowsUnsuitable) refuse(layer, 'its file contradicts the types that it declares');
      else if (error instanceof NotDescribed) refuse(layer, error.message);
      else if (error instanceof GeomillError && error.fault !== 'ours') refuse(layer, error.message);
      else throw error;
    }
  }
  return layers;
}

/** The layer of the file that has the features of this one and no others; null: there is none. */
function writtenLayer(
  { layer }: OriginalLayer,
  all: readonly OriginalLayer[],
  written: readonly SourceLayer[],
): SourceLayer | null {
  if (all.length !== written.length) return null;
  if (all.length === 1) return written[0];
  return written.find(({ name }) => name === layer.name) ?? null;
}

const isZipName = (path: string): boolean => endingOf(path).toLowerCase() === '.zip';
