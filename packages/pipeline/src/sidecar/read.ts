/** Reads features that were restored: their batches are in the file of the input, its layers in another one beside it. */
import { castBatch } from '@geomill/core/columns/cast.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { FieldFacts } from '@geomill/core/columns/field-facts.ts';
import type { FormatReader, OpenContext, SourceLayer } from '@geomill/formats/reader.ts';
import type { StoredData } from '@geomill/operations/transformation.ts';
import { fileBytes, writeNewFile } from '@geomill/platform/files.ts';
import { BatchSpool } from '../batch-spool.ts';
import { factsFromJson } from './document.ts';

const layersPath = (path: string): string => `${path}.layers`;

/** Completes the file of which `path` has the batches. */
export function writeLayers(path: string, layers: readonly RestoredLayer[]): void {
  writeNewFile(layersPath(path), JSON.stringify(layers));
}

export interface RestoredLayer {
  readonly layer: Omit<SourceLayer, 'facts' | 'state' | 'partitions'>;
  readonly title?: string;
  readonly description?: string;
  readonly hasStoredWidths?: true;
  /** As JSON, by the names of the fields. */
  readonly facts: readonly (readonly [name: string, facts: object])[];
  readonly batches: readonly StoredData[];
}

interface State {
  readonly path: string;
  readonly batches: readonly StoredData[];
}

export const reader: FormatReader = {
  typing: 'declared',
  mixedType: 'json',
  ids: 'data',
  async open(file, context) {
    const text = new TextDecoder().decode(fileBytes(layersPath(file.path)));
    const layers = JSON.parse(text) as readonly RestoredLayer[];
    return layersRead(
      layers.map(({ layer, title, description, hasStoredWidths, facts, batches }): SourceLayer => {
        const fields = new Map<string, FieldFacts>(facts.map(([name, json]) => [name, factsFromJson(json)]));
        const state: State = { path: file.path, batches };
        return {
          ...layer,
          facts: {
            ...(title === undefined ? {} : { title }),
            ...(description === undefined ? {} : { description }),
            ...(hasStoredWidths === undefined ? {} : { hasStoredWidths }),
            fields,
          },
          partitions: batches.map((_, i) => ({ start: i, end: i + 1 })),
          state,
        };
      }),
      context,
    );
  },
  readPartition({ state }, { start, end }, { fields }) {
    const { path, batches } = state as State;
    const spool = new BatchSpool(path);
    try {
      const batch = spool.loadData(batches[start]) as FeatureBatch;
      return {
        batch: fields === null ? batch : castBatch(batch, fields),
        nextStart: end,
        recordCount: batch.rowCount,
        lineCount: 0,
        findings: [],
      };
    } finally {
      spool.discard();
    }
  },
};

/** Which layers a conversion reads; tables as in a GeoPackage. */
function layersRead(
  layers: readonly SourceLayer[],
  { tables, attributesOnly }: OpenContext,
): readonly SourceLayer[] {
  if (attributesOnly === true || layers.every(({ isTable }) => isTable === true)) return layers;
  return layers.filter(({ isTable, name }) => isTable !== true || tables === 'all' || tables?.includes(name));
}
