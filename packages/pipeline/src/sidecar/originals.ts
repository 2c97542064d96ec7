/** Keeps what a sidecar needs of the features while they are encoded: values and ids, in a file of the conversion. */
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import { castBatch } from '@geomill/core/columns/cast.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { type LayerFacts, NO_FACTS } from '@geomill/core/columns/field-facts.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import type { OutputLayer } from '@geomill/formats/writer.ts';
import type { StoredData } from '@geomill/operations/transformation.ts';
import type { BatchSpool } from '../batch-spool.ts';
import type { ConversionPlan } from '../conversion-plan.ts';
import { pipelineFindings } from '../findings.ts';
import type { OutputRequest } from '../request.ts';
import { rowBoxes } from './row-boxes.ts';

/** A layer as it would be if the format of the output held everything. */
export interface OriginalLayer {
  readonly layer: Pick<OutputLayer, 'name' | 'fields' | 'crs' | 'isTable'>;
  readonly facts: LayerFacts;
  /** Name of the first field of the written layer, which has the ids; null: there is none. */
  readonly idField: string | null;
}

/** Rows of a layer without their geometries. */
export interface OriginalRows {
  readonly rowCount: number;
  readonly columns: readonly AttributeColumn[];
  readonly ids: AttributeColumn | null;
  readonly boxes: Float64Array<ArrayBuffer>;
}

/** Null, with a finding, if the output is of a kind that has no sidecar. */
export function originalsOf(
  layers: readonly (Omit<OriginalLayer, 'facts'> & { readonly facts: LayerFacts | undefined })[],
  plan: Pick<ConversionPlan, 'split' | 'extendsTarget'>,
  { toFile }: Pick<OutputRequest, 'toFile'>,
  spool: BatchSpool,
  findings: Findings,
): Originals | null {
  const reason =
    plan.split !== null
      ? 'the output is split'
      : plan.extendsTarget
        ? 'the output is another file with more features'
        : toFile
          ? null
          : 'the output is no file';
  if (reason === null)
    return new Originals(
      layers.map(({ facts = { fields: NO_FACTS }, ...layer }) => ({ ...layer, facts })),
      spool,
    );
  for (const { layer } of layers)
    findings.note(pipelineFindings.SIDECAR_NOT_WRITTEN, { layer: layer.name, reason });
  return null;
}

export class Originals {
  readonly layers: readonly OriginalLayer[];
  readonly #spool: BatchSpool;
  readonly #stored: (readonly StoredData[])[];

  constructor(layers: readonly OriginalLayer[], spool: BatchSpool) {
    this.layers = layers;
    this.#spool = spool;
    this.#stored = layers.map((): StoredData[] => []);
  }

  /** Takes a batch of a layer; they come in their order. */
  take(index: number, batch: FeatureBatch): void {
    const fields: readonly Field[] = this.layers[index].layer.fields ?? [];
    const { rowCount, columns, ids } = castBatch(batch, fields);
    const rows: OriginalRows = { rowCount, columns, ids, boxes: rowBoxes(batch.geometry) };
    (this.#stored[index] as StoredData[]).push(this.#spool.storeData(rows));
  }

  *rows(index: number): Generator<OriginalRows> {
    for (const stored of this.#stored[index]) yield this.#spool.loadData(stored) as OriginalRows;
  }
}
