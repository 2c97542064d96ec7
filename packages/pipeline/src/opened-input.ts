/** Input files that are open, and what is known of them. */
import type { FoundFinding } from '@geomill/core/messages/findings.ts';
import type { FormatReader, SourceLayer } from '@geomill/formats/reader.ts';
import { inputSize } from '@geomill/io/input-size.ts';
import type { InputPath } from './request.ts';

export interface OpenedFile {
  /** As the user knows it. */
  readonly name: string;
  /** The user gave no name; `name` is used in messages only. */
  readonly isUnnamed?: true;
  readonly layers: readonly SourceLayer[];
}

export interface OpenedInput extends OpenedFile {
  readonly path: string;
  /** Findings about content of the target of an append that is no layer: an output that extends the target keeps it. */
  readonly skipped: readonly FoundFinding[];
  /** The CRS in a member of the file, if it is another one than that in which the file is read; else null. */
  readonly ignoredCrs: string | null;
}

/** Of all inputs together; 0 for a missing one: opening it gives a better error. */
export function byteLengthOf(inputs: readonly InputPath[]): number {
  return inputs.reduce((sum, { path }) => sum + inputSize(path), 0);
}

/** Whether the fields of the layer and their types must be inferred from its values. */
export function hasOpenFields(layer: SourceLayer, reader: Pick<FormatReader, 'typing'>): boolean {
  if (layer.isTarget) return false;
  return reader.typing === 'layer' || layer.fields === null;
}
