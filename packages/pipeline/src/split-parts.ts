/** The parts of a split output: which there are, their names, their descriptions for the writer. */
import type { MixedType } from '@geomill/core/columns/schema.ts';
import { emptyStatistics, type LayerStatistics, mergeStatistics } from '@geomill/core/columns/statistics.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import type { OutputLayer } from '@geomill/formats/writer.ts';
import { fileNameKey, safeName } from '@geomill/io/safe-name.ts';
import { isFieldName, type SplitBy } from '@geomill/operations/split_by/record.ts';
import type { SplitInto } from './request.ts';
import { MAX_PARTS, tooManyValues } from './split-batch.ts';
import type { PartResult, SplitValue } from './task.ts';

/** Longest parts of a name in bytes of UTF-8: file systems allow 255 with a number and an extension. */
const MAX_VALUE_BYTES = 100;
const MAX_PREFIX_BYTES = 60;

/** Names of the parts without a value, and of texts of which no character can be in a name. */
const NULL_NAME = 'null';
const EMPTY_NAME = 'empty';

/** Features of a layer with one value. */
export interface FoundPart {
  readonly value: SplitValue;
  rowCount: number;
  /** Without fields; null: not collected. */
  statistics: LayerStatistics | null;
}

/** The values of all layers of a conversion. */
export class SplitValues {
  readonly field: SplitBy;
  readonly #layers: Map<SplitValue, FoundPart>[] = [];
  readonly #mixed: MixedType;
  #count = 0;

  constructor(field: SplitBy, mixed: MixedType) {
    this.field = field;
    this.#mixed = mixed;
  }

  /** Adds those of a batch of a layer. Throws SPLIT_TOO_MANY_VALUES. */
  add(layer: number, parts: readonly PartResult[]): void {
    this.#layers[layer] ??= new Map();
    const known = this.#layers[layer];
    for (const { value, rowCount, statistics } of parts) {
      let part = known.get(value);
      if (part === undefined) {
        part = { value, rowCount: 0, statistics: statistics === null ? null : emptyStatistics() };
        known.set(value, part);
        this.#count++;
      }
      part.rowCount += rowCount;
      if (part.statistics !== null && statistics !== null)
        mergeStatistics(part.statistics, statistics, this.#mixed);
    }
    if (this.#count > MAX_PARTS)
      throw tooManyValues(isFieldName(this.field) ? this.field : null, this.#count);
  }

  /** Of a layer, in the order in which the values appear. */
  of(layer: number): readonly FoundPart[] {
    return [...(this.#layers[layer]?.values() ?? [])];
  }
}

/** A part of the output: a layer, or a file with one layer. */
export interface OutputPart {
  /** Position of its layer in the plan. */
  readonly layer: number;
  /** Default: the layer has no features, and this part keeps its fields. */
  readonly value?: SplitValue;
  readonly name: string;
  readonly output: OutputLayer;
}

/**
 * The parts of all layers, with names that are safe as file names and differ in more than letter case. A name is the
 * value; the name of the layer comes before it if there are several layers or `isPrefixed`, and `prefix` before that.
 */
export function partsOf(
  layers: readonly OutputLayer[],
  values: SplitValues,
  { prefix = null, into }: { readonly prefix?: string | null; readonly into: SplitInto },
  isPrefixed: boolean,
): OutputPart[] {
  const names = new UniqueNames({ fold: fileNameKey });
  const nameOf = (layer: string, last: string | null): string => {
    const words = [prefix, isPrefixed || last === null ? layer : null].flatMap((word) =>
      word === null ? [] : [safeName(word, 'layer', MAX_PREFIX_BYTES)],
    );
    return names.take([...words, ...(last === null ? [] : [last])].join('_'));
  };
  return layers.flatMap((output, layer) => {
    const found = values.of(layer);
    if (found.length === 0) {
      const name = nameOf(output.name, null);
      return [{ layer, name, output: partOf(output, name, 0, null, into) }];
    }
    return found.map(({ value, rowCount, statistics }) => {
      const last = value === null ? NULL_NAME : safeName(value, EMPTY_NAME, MAX_VALUE_BYTES);
      const name = nameOf(output.name, last);
      return { layer, value, name, output: partOf(output, name, rowCount, statistics, into) };
    });
  });
}

/** All parts of a layer have the fields of the layer with the same widths, so that they fit together again. */
function partOf(
  layer: OutputLayer,
  name: string,
  rowCount: number,
  own: LayerStatistics | null,
  into: SplitInto,
): OutputLayer {
  const part: OutputLayer = { ...layer, name, ...(into === 'layers' ? { isPart: true } : {}) };
  if (layer.statistics === null || own === null) return part;
  return { ...part, statistics: { ...layer.statistics, rowCount, geometry: own.geometry } };
}
