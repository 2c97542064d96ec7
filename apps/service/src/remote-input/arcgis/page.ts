/** A page of features: the answer to a query. Its features are never parsed, only their object ids are. */
import type { JsonAnswer } from './json-answer.ts';
import { IdBuilder } from './object-ids.ts';

/** Members of an answer that describe its features; they are the head of the file. */
const HEAD = [
  'objectIdFieldName',
  'globalIdFieldName',
  'geometryType',
  'spatialReference',
  'hasZ',
  'hasM',
] as const;
const MAX_HEAD_BYTES = 64 * 1024;

export interface Page {
  /** The features, with commas between them; empty: there are none. */
  readonly features: Buffer;
  readonly count: number;
  /** Sorted; null: the layer has none. */
  readonly ids: Float64Array | null;
  /** The server says that it left features out. */
  readonly isCut: boolean;
  /** JSON of the members that it has. */
  readonly head: ReadonlyMap<string, string>;
  /** Definitions of the fields of the features; null: not stated. */
  readonly fields: readonly unknown[] | null;
}

/** `idField`: the attribute with the object ids; null: the layer has none. Throws SERVICE_ANSWER_INVALID. */
export function readPage(answer: JsonAnswer, idField: string | null, host: string): Page {
  const ids = new IdBuilder(host);
  const encoder = new TextEncoder();
  const attributes = encoder.encode('attributes');
  const name = encoder.encode(JSON.stringify(idField ?? '').slice(1, -1));
  let count = 0;
  const range = answer.elements('features', ({ start }) => {
    count++;
    if (idField === null) return;
    const own = answer.member(start, attributes);
    const value = own === null ? null : answer.member(own.start, name);
    const id = value === null ? null : answer.integer(value.start);
    if (id === null) throw answer.invalid(`feature ${count} of a page has no object id in '${idField}'`);
    ids.add(id);
  });
  const fields = answer.value('fields');
  return {
    features: answer.bytes(range),
    count,
    ids: idField === null ? null : ids.sorted(),
    isCut: answer.value('exceededTransferLimit') === true,
    head: headOf(answer),
    fields: Array.isArray(fields) ? fields : null,
  };
}

function headOf(answer: JsonAnswer): ReadonlyMap<string, string> {
  const head = new Map<string, string>();
  for (const name of HEAD) {
    const range = answer.range(name);
    if (range === null) continue;
    if (range.end - range.start > MAX_HEAD_BYTES)
      throw answer.invalid(`its '${name}' is larger than ${MAX_HEAD_BYTES} bytes`);
    head.set(name, answer.bytes(range).toString());
  }
  return head;
}
