/**
 * Restores the features of a file by its sidecar. The file is read once and its values are compared with the digests of the sidecar; the features are stored
 * as restored. If fields were changed meanwhile, it is read again and these fields stay as the file has them.
 */
import type { AttributeColumn } from '@geomill/core/columns/attribute-column.ts';
import { castColumn } from '@geomill/core/columns/cast.ts';
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import {
  batchStatistics,
  emptyStatistics,
  fieldsOf,
  mergeStatistics,
} from '@geomill/core/columns/statistics.ts';
import { GeomillError } from '@geomill/core/messages/errors.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { inputFormatById } from '@geomill/formats/format-by-id.ts';
import type { InputFile, SourceLayer } from '@geomill/formats/reader.ts';
import { SIDECAR_EXTENSION } from '@geomill/formats/sidecar-options.ts';
import type { InputLimits } from '@geomill/io/limits.ts';
import { UnpackBudget } from '@geomill/io/unpack-budget.ts';
import { readZipDirectory, unpackEntry } from '@geomill/io/zip-read.ts';
import type { StoredData } from '@geomill/operations/transformation.ts';
import { fileBytes, fileSize, removeFile } from '@geomill/platform/files.ts';
import { fileName } from '@geomill/platform/paths.ts';
import { BatchSpool } from '../batch-spool.ts';
import { pipelineFindings } from '../findings.ts';
import { Digest } from './digest.ts';
import {
  factsToJson,
  MAX_SIDECAR_BYTES,
  parseSidecar,
  type Sidecar,
  type SidecarColumn,
  type SidecarField,
  SidecarInvalid,
  type SidecarLayer,
} from './document.ts';
import type { FoundSidecar } from './find-sidecar.ts';
import { Patches } from './kept-values.ts';
import { LayerRows, RowsUnsuitable } from './layer-rows.ts';
import { type RestoredLayer, writeLayers } from './read.ts';
import { fieldsToRead, valuesOf } from './values.ts';

export interface RestoreSetting {
  /** Of the file. */
  readonly format: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly file: InputFile;
  readonly limits: InputLimits;
  /** Of the file that gets the restored features. */
  readonly path: string;
  readonly findings: Findings;
  readonly signal: AbortSignal;
}

/** Returns false if the sidecar is of no use; the file is right without it. */
export async function restore(found: FoundSidecar, setting: RestoreSetting): Promise<boolean> {
  const { findings, file, path, signal } = setting;
  const name = found.isMember ? `${file.name}/*${SIDECAR_EXTENSION}` : fileName(found.path);
  const ignored = (reason: string): false => {
    findings.note(pipelineFindings.SIDECAR_IGNORED, { sidecar: name, reason });
    return false;
  };
  const spool = new BatchSpool(path);
  try {
    const sidecar = parseSidecar(await sidecarBytes(found, setting));
    // The sidecar of another file of the same name, such as roads.csv beside roads.xlsx.
    if (sidecar.format !== setting.format) return false;
    const noted = new Findings();
    const layers = await restoredLayers(sidecar, setting, spool, name, noted);
    writeLayers(path, layers);
    findings.merge(noted.found());
    return true;
  } catch (error) {
    if (signal.aborted) throw error;
    spool.discard();
    if (error instanceof SidecarInvalid) return ignored(error.message);
    if (error instanceof RowsUnsuitable) return ignored('the file was changed after it was written');
    // The file is read without its sidecar, and reported as what it is.
    if (error instanceof GeomillError && error.fault !== 'ours') return ignored(error.message);
    throw error;
  }
}

async function sidecarBytes(
  { path, isMember }: FoundSidecar,
  { file, limits, path: restored }: RestoreSetting,
): Promise<Uint8Array> {
  const tooLarge = (byteLength: number): SidecarInvalid =>
    new SidecarInvalid(`it has ${byteLength} bytes, more than ${MAX_SIDECAR_BYTES}`);
  if (!isMember) {
    const byteLength = fileSize(path);
    if (byteLength > MAX_SIDECAR_BYTES) throw tooLarge(byteLength);
    return fileBytes(path);
  }
  const entries = await readZipDirectory(path, file.name, new UnpackBudget(limits));
  const entry = entries.find(({ name }) => name.endsWith(SIDECAR_EXTENSION));
  if (entry === undefined) throw new SidecarInvalid('the archive does not have it');
  if (entry.unpackedBytes > MAX_SIDECAR_BYTES) throw tooLarge(entry.unpackedBytes);
  const target = `${restored}.sidecar`;
  const { path: unpacked, start, byteLength } = await unpackEntry(path, entry, file.name, target);
  const bytes = fileBytes(unpacked).slice(start, start + byteLength);
  if (unpacked === target) removeFile(target);
  return bytes;
}

async function restoredLayers(
  { layers }: Sidecar,
  { format, options, file, limits, path, signal }: RestoreSetting,
  spool: BatchSpool,
  name: string,
  findings: Findings,
): Promise<RestoredLayer[]> {
  const reader = await inputFormatById(format, 'input.format').loadReader();
  const scratchDirectory = `${path}-read`;
  const rows = await LayerRows.open({ reader, file, options, limits, scratchDirectory, findings, signal });
  const restored: RestoredLayer[] = [];
  for (const source of rows.layers) {
    const known = layers.find(({ written }) => written === source.name) ?? onlyLayer(layers, rows.layers);
    // A layer that its sidecar does not describe is as the file has it.
    const sidecar = known ?? { ...UNKNOWN, name: source.name, written: source.name };
    restored.push(await new LayerRestoring(source, sidecar, rows, spool, name, findings).run(known !== null));
  }
  return restored;
}

/** A file of one layer can be renamed with its sidecar. */
function onlyLayer(layers: readonly SidecarLayer[], sources: readonly SourceLayer[]): SidecarLayer | null {
  return layers.length === 1 && sources.length === 1 ? layers[0] : null;
}

const UNKNOWN: Omit<SidecarLayer, 'name' | 'written'> = {
  rows: 0,
  isTable: false,
  geometry: '',
  crs: '',
  writtenCrs: null,
  ids: null,
  fields: [],
  added: [],
};

interface Stored {
  readonly batches: StoredData[];
  readonly rows: number;
  readonly changed: ReadonlySet<SidecarColumn>;
  readonly isGeometryChanged: boolean;
}

class LayerRestoring {
  readonly #source: SourceLayer;
  readonly #sidecar: SidecarLayer;
  readonly #rows: LayerRows;
  readonly #spool: BatchSpool;
  readonly #name: string;
  readonly #findings: Findings;

  constructor(
    source: SourceLayer,
    sidecar: SidecarLayer,
    rows: LayerRows,
    spool: BatchSpool,
    name: string,
    findings: Findings,
  ) {
    this.#source = source;
    this.#sidecar = sidecar;
    this.#rows = rows;
    this.#spool = spool;
    this.#name = name;
    this.#findings = findings;
  }

  async run(isDescribed: boolean): Promise<RestoredLayer> {
    const all = this.#columns;
    let kept = await this.#keptFields(new Set());
    // Findings of a pass whose result is discarded are those of the next one.
    let found = new Findings();
    let stored = await this.#pass(all, kept, found);
    if (stored.changed.size > 0) {
      const { changed } = stored;
      found = new Findings();
      kept = await this.#keptFields(changed);
      stored = {
        ...(await this.#pass(
          all.filter((one) => !changed.has(one)),
          kept,
          found,
        )),
        changed,
      };
    }
    this.#findings.merge(found.found());
    if (isDescribed) this.#report(stored);
    return this.#described(stored, kept);
  }

  get #columns(): readonly SidecarColumn[] {
    const { ids, fields } = this.#sidecar;
    return ids === null ? fields : [ids, ...fields];
  }

  /** The fields of the file that stay as they are: those that the sidecar does not know, and those in place of changed ones. */
  async #keptFields(changed: ReadonlySet<SidecarColumn>): Promise<Field[]> {
    const restored = new Set(this.#sidecar.added);
    for (const column of this.#columns) {
      const { source } = column;
      if (typeof source !== 'string' && !changed.has(column)) restored.add(source.column);
    }
    const own = this.#source.fields;
    if (own?.every(({ name }) => restored.has(name))) return [];
    const fields = own !== null && !this.#rows.takesFields ? own : await this.#inferred();
    return fields.filter(({ name }) => !restored.has(name)).map(({ name, type }) => ({ name, type }));
  }

  async #inferred(): Promise<Field[]> {
    const statistics = emptyStatistics();
    for await (const batch of this.#rows.batches(this.#source, null, new Findings()))
      mergeStatistics(statistics, batchStatistics(batch, 'fields'), 'string');
    return fieldsOf(statistics);
  }

  /** Reads all rows and stores them with these columns restored; `kept` as the file has them. */
  async #pass(columns: readonly SidecarColumn[], kept: readonly Field[], found: Findings): Promise<Stored> {
    const digests = columns.map(() => new Digest());
    const patches = columns.map((column) => new Patches(column.kept));
    const geometry = new Digest();
    const batches: StoredData[] = [];
    const { takesFields } = this.#rows;
    let rows = 0;
    const fieldsRead = takesFields ? fieldsToRead(columns, kept) : null;
    for await (const batch of this.#rows.batches(this.#source, fieldsRead, found)) {
      const { rowCount } = batch;
      geometry.addGeometry(batch.geometry);
      const values = columns.map((column, i) => {
        const read = valuesOf(column, batch);
        digests[i].addColumn(read, 0, rowCount);
        return patches[i].apply(read, rows, rowCount);
      });
      batches.push(this.#spool.storeData(this.#restoredBatch(batch, columns, values, kept)));
      rows += rowCount;
    }
    // What is kept of rows is of no use if there are others.
    const isOther = rows !== this.#sidecar.rows;
    const changed = new Set(columns.filter(({ digest }, i) => isOther || digest !== digests[i].toString()));
    return { batches, rows, changed, isGeometryChanged: geometry.toString() !== this.#sidecar.geometry };
  }

  #restoredBatch(
    batch: FeatureBatch,
    columns: readonly SidecarColumn[],
    values: readonly AttributeColumn[],
    kept: readonly Field[],
  ): FeatureBatch {
    const { ids } = this.#sidecar;
    const idsAt = ids === null ? -1 : columns.indexOf(ids);
    const fields = this.#fields(columns, kept);
    const byField = new Map<unknown, AttributeColumn>(columns.map((column, i) => [column, values[i]]));
    for (const field of kept) {
      const at = batch.fields.findIndex(({ name }) => name === field.name);
      const column =
        at < 0
          ? valuesOf({ source: 'none', type: field.type }, batch)
          : castColumn(batch.columns[at], field.type, batch.rowCount);
      byField.set(field, column);
    }
    return {
      rowCount: batch.rowCount,
      geometry: batch.geometry,
      fields: fields.map(({ field }) => field),
      columns: fields.map(({ of }) => byField.get(of) as AttributeColumn),
      ids: idsAt < 0 ? batch.ids : values[idsAt],
    };
  }

  /** The restored fields in their order, each changed one where it was, and new ones after them. */
  #fields(
    columns: readonly SidecarColumn[],
    kept: readonly Field[],
  ): readonly { readonly field: Field; readonly of: SidecarField | Field }[] {
    const { fields } = this.#sidecar;
    const left = new Set(kept);
    const known = fields.flatMap((field) => {
      if (columns.includes(field)) return [{ field: { name: field.name, type: field.type }, of: field }];
      const { source } = field;
      const own = kept.find(({ name }) => typeof source !== 'string' && name === source.column);
      if (own === undefined) return [];
      left.delete(own);
      return [{ field: own, of: own }];
    });
    const all = [...known, ...[...left].map((field) => ({ field, of: field }))];
    if (new Set(all.map(({ field }) => field.name)).size < all.length)
      throw new SidecarInvalid(
        'two fields would have the same name: the file was changed after it was written',
      );
    return all;
  }

  #report({ changed, isGeometryChanged, rows }: Stored): void {
    const { name: layer, fields, ids } = this.#sidecar;
    const sidecar = this.#name;
    const restored = fields.filter((field) => !changed.has(field)).length;
    if (restored > 0 || fields.length === 0)
      this.#findings.note(pipelineFindings.SIDECAR_USED, { sidecar, layer, fields: restored });
    for (const field of fields)
      if (changed.has(field))
        this.#findings.note(
          pipelineFindings.SIDECAR_FIELD_CHANGED,
          { sidecar, layer, what: `field '${field.name}'` },
          { layer, field: field.name },
        );
    const others = [
      ...(ids !== null && changed.has(ids) ? ['the ids'] : []),
      ...(isGeometryChanged && rows > 0 ? ['the geometries'] : []),
    ];
    for (const what of others)
      this.#findings.note(pipelineFindings.SIDECAR_FIELD_CHANGED, { sidecar, layer, what }, { layer });
  }

  #described({ batches, rows, changed, isGeometryChanged }: Stored, kept: readonly Field[]): RestoredLayer {
    const { name, fields, crs, writtenCrs, isTable, title, description, hasStoredWidths } = this.#sidecar;
    const { facts: _, state: __, partitions: ___, ...source } = this.#source;
    const columns = this.#columns.filter((column) => !changed.has(column));
    const isCrsKnown = !isGeometryChanged && source.crs === writtenCrs && crs !== '';
    const { assumedCrs: ____, crsDefinitions: _____, statedExtent: ______, ...located } = source;
    return {
      layer: {
        ...(isCrsKnown ? { ...located, crs } : source),
        name,
        fields: this.#fields(columns, kept).map(({ field }) => field),
        featureCount: rows,
        declaredStatistics: null,
        ...(isTable ? { isTable: true as const } : {}),
      },
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(hasStoredWidths === undefined ? {} : { hasStoredWidths }),
      facts: fields
        .filter((field) => !changed.has(field))
        .map((field) => [field.name, factsToJson(field.facts)] as const),
      batches,
    };
  }
}
