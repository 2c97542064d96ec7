/** Compares a layer as it was with what its file gives back, and describes the difference for the sidecar. */
import { type AttributeColumn, nullColumn } from '@geomill/core/columns/attribute-column.ts';
import type { Field, FieldType } from '@geomill/core/columns/schema.ts';
import type { SourceLayer } from '@geomill/formats/reader.ts';
import { Digest } from './digest.ts';
import type { SidecarColumn, SidecarField, SidecarLayer, ValueSource } from './document.ts';
import { type KeptRoom, KeptRows } from './kept-values.ts';
import type { LayerRows } from './layer-rows.ts';
import type { OriginalLayer, OriginalRows } from './originals.ts';
import { rowBoxes, sameBoxes } from './row-boxes.ts';
import { fieldsToRead, sameValue, valuesOf } from './values.ts';

/** The layer cannot be described; the message says why. */
export class NotDescribed extends Error {}

/** Throws NotDescribed. */
export async function describeLayer(
  { layer, facts, idField }: OriginalLayer,
  originals: Iterable<OriginalRows>,
  file: LayerRows,
  written: SourceLayer,
  room: KeptRoom,
  onOmitted: (what: string) => void,
): Promise<SidecarLayer> {
  const { fields, crs } = layer;
  if (fields === null) throw new NotDescribed('its fields are not known before its features');
  const names = await namesIn(file, written);
  const sources = sourcesOf(fields, names, idField);
  const rows = new OriginalCursor(originals);
  const idSource: ValueSource =
    idField !== null && names.includes(idField) ? { column: idField } : file.hasIds ? 'ids' : 'none';
  const columns = fields.map(({ type }, i) => new Compared(sources[i], type, room));
  const ids = new Compared(idSource, rows.idType ?? 'string', room);
  const geometry = new Digest();
  const fieldsRead = file.takesFields
    ? fieldsToRead([...columns, ...(rows.idType === null ? [] : [ids])])
    : null;
  let rowCount = 0;
  for await (const batch of file.batches(written, fieldsRead)) {
    geometry.addGeometry(batch.geometry);
    const found = columns.map((column) => valuesOf(column, batch));
    const foundIds = rows.idType === null ? null : valuesOf(ids, batch);
    const boxes = written.isTable === true ? null : rowBoxes(batch.geometry);
    for (const part of rows.next(batch.rowCount)) {
      if (boxes !== null && !sameBoxes(part.rows.boxes, part.start, boxes, part.startInBatch, part.count))
        throw new NotDescribed('the format moves its features, or has them in another order');
      columns.forEach((column, i) => {
        column.compare(found[i], part.rows.columns[i], part, rowCount);
      });
      if (foundIds !== null) ids.compare(foundIds, part.ids, part, rowCount);
    }
    rowCount += batch.rowCount;
  }
  if (!rows.isAtEnd)
    throw new NotDescribed('the file does not have all of its features, or in another order');
  const idColumn = rows.idType === null ? null : ids.described();
  if (rows.idType !== null && idColumn === null) onOmitted('the ids');
  return {
    name: layer.name,
    written: written.name,
    rows: rowCount,
    isTable: layer.isTable === true,
    geometry: geometry.toString(),
    crs: crs.authority === null ? crs.definition : `${crs.authority.name}:${crs.authority.code}`,
    writtenCrs: written.crs,
    ...(facts.title === undefined ? {} : { title: facts.title }),
    ...(facts.description === undefined ? {} : { description: facts.description }),
    ...(facts.hasStoredWidths === true ? { hasStoredWidths: true as const } : {}),
    ids: idColumn,
    added: names.filter(
      (name) => ![idSource, ...sources].some((one) => typeof one !== 'string' && one.column === name),
    ),
    fields: fields.flatMap(({ name }, i): SidecarField[] => {
      const column = columns[i].described();
      if (column !== null) return [{ name, ...column, facts: facts.fields.get(name) ?? {} }];
      onOmitted(`field '${name}'`);
      return [];
    }),
  };
}

/** The names of the fields in the file. */
async function namesIn(file: LayerRows, written: SourceLayer): Promise<readonly string[]> {
  if (written.fields !== null) return written.fields.map(({ name }) => name);
  const names = new Set<string>();
  for await (const { fields } of file.batches(written, null)) for (const { name } of fields) names.add(name);
  return [...names];
}

/** Where the file has each field: by its name, or by its place if the file has as many. */
function sourcesOf(
  fields: readonly Field[],
  names: readonly string[],
  idField: string | null,
): ValueSource[] {
  const others = names.filter((name) => name !== idField);
  return fields.map(({ name }, i): ValueSource => {
    if (others.length === fields.length) return { column: others[i] };
    if (others.includes(name)) return { column: name };
    return 'none';
  });
}

interface Part {
  readonly rows: OriginalRows;
  readonly ids: AttributeColumn;
  /** The first row in `rows`, and in the batch of the file. */
  readonly start: number;
  readonly startInBatch: number;
  readonly count: number;
}

/** The original rows in the pieces in which the file gives them back. */
class OriginalCursor {
  readonly #iterator: Iterator<OriginalRows>;
  #rows: OriginalRows | null;
  #start = 0;
  /** Type of the ids; null: the features have none. */
  readonly idType: FieldType | null;

  constructor(originals: Iterable<OriginalRows>) {
    let idType: FieldType | null = null;
    for (const { ids } of originals) if (ids !== null) idType ??= ids.type;
    this.idType = idType;
    this.#iterator = originals[Symbol.iterator]();
    this.#rows = this.#load();
  }

  get isAtEnd(): boolean {
    return this.#rows === null;
  }

  *next(rowCount: number): Generator<Part> {
    for (let done = 0; done < rowCount; ) {
      const rows = this.#rows;
      if (rows === null) throw new NotDescribed('the file has more features than were written');
      const count = Math.min(rowCount - done, rows.rowCount - this.#start);
      const ids = rows.ids ?? nullColumn(this.idType ?? 'string', rows.rowCount);
      if (ids.type !== (this.idType ?? 'string')) throw new NotDescribed('its ids are of several types');
      yield { rows, ids, start: this.#start, startInBatch: done, count };
      done += count;
      this.#start += count;
      if (this.#start === rows.rowCount) {
        this.#rows = this.#load();
        this.#start = 0;
      }
    }
  }

  #load(): OriginalRows | null {
    for (;;) {
      const { done, value } = this.#iterator.next();
      if (done === true) return null;
      if (value.rowCount > 0) return value;
    }
  }
}

class Compared {
  readonly source: ValueSource;
  readonly type: FieldType;
  readonly #digest = new Digest();
  readonly #kept: KeptRows;

  constructor(source: ValueSource, type: FieldType, room: KeptRoom) {
    this.source = source;
    this.type = type;
    this.#kept = new KeptRows(room);
  }

  /** `first`: the number of the first row of the batch of the file in the layer. */
  compare(found: AttributeColumn, original: AttributeColumn, part: Part, first: number): void {
    const { start, startInBatch, count } = part;
    this.#digest.addColumn(found, startInBatch, startInBatch + count);
    for (let i = 0; i < count; i++)
      if (!sameValue(found, startInBatch + i, original, start + i))
        this.#kept.add(original, start + i, first + startInBatch + i);
  }

  /** Null: there are more values to keep than there is room. */
  described(): SidecarColumn | null {
    const { source, type } = this;
    if (this.#kept.isFull) return null;
    return { source, type, digest: this.#digest.toString(), kept: this.#kept.values };
  }
}
