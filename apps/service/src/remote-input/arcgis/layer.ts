/** The document of a layer: what its queries need, and what the head of the file needs if no page states it. */
import { failure } from '@geomill/core/messages/errors.ts';
import { listed, shortText } from '@geomill/core/messages/short-text.ts';
import { remoteInputErrors } from '../errors.ts';
import type { JsonAnswer } from './json-answer.ts';

const DEFAULT_PAGE = 1000;
/** Larger pages save nothing and cost memory. */
const MAX_PAGE = 5000;
const MAX_FIELDS = 10_000;

export interface FieldDefinition {
  readonly name: string;
  /** With its type, alias and domain, as the server has it. */
  readonly definition: object;
}

export interface Layer {
  readonly id: number;
  readonly name: string;
  /** Null: the layer states none. */
  readonly idField: string | null;
  readonly fields: readonly FieldDefinition[];
  /** Number of features that a query returns at most. */
  readonly pageSize: number;
  /** Null: a table. */
  readonly geometryType: string | null;
  /** Null: the document states none. */
  readonly spatialReference: object | null;
  readonly hasZ: boolean;
  readonly hasM: boolean;
  readonly canOrder: boolean;
}

type Members = Readonly<Record<string, unknown>>;

/** Throws SERVICE_NO_FEATURES and SERVICE_ANSWER_INVALID. */
export function readLayer(answer: JsonAnswer, id: number, host: string): Layer {
  const name = textOf(answer.value('name')) ?? String(id);
  const refuse = (reason: string): Error =>
    failure(remoteInputErrors.SERVICE_NO_FEATURES, { host, layer: shortText(name, 100), reason });
  const type = textOf(answer.value('type'));
  if (type !== null && /group|raster|network|image|mosaic/i.test(type))
    throw refuse(`it is a ${shortText(type, 40)}`);
  const capabilities = textOf(answer.value('capabilities'));
  if (capabilities !== null && !/\bquery\b/i.test(capabilities) && !/\bdata\b/i.test(capabilities))
    throw refuse(`the server does not allow queries (it allows ${shortText(capabilities, 60) || 'nothing'})`);
  const fields = fieldsOf(answer);
  const limit = answer.value('maxRecordCount');
  const advanced = objectOf(answer.value('advancedQueryCapabilities'));
  const extent = objectOf(answer.value('extent'));
  return {
    id,
    name,
    idField: textOf(answer.value('objectIdField')) ?? idFieldOf(fields),
    fields,
    pageSize: Math.min(MAX_PAGE, isCount(limit) && limit > 0 ? limit : DEFAULT_PAGE),
    geometryType: type === 'Table' ? null : textOf(answer.value('geometryType')),
    spatialReference: objectOf(answer.value('sourceSpatialReference')) ?? objectOf(extent?.spatialReference),
    hasZ: answer.value('hasZ') === true,
    hasM: answer.value('hasM') === true,
    canOrder: advanced?.supportsOrderBy === true,
  };
}

/** The only layer in the document of a service. Throws SERVICE_LAYERS, which lists them if there are others. */
export function onlyLayer(answer: JsonAnswer, host: string): number {
  const all = [...layersOf(answer, 'layers'), ...layersOf(answer, 'tables')];
  const readable = all.filter(({ isGroup }) => !isGroup);
  if (readable.length === 1) return readable[0].id;
  const layers = listed(readable.map(({ id, name }) => `${id} '${shortText(name, 40)}'`));
  throw failure(remoteInputErrors.SERVICE_LAYERS, { host, count: readable.length, layers: layers || 'none' });
}

function layersOf(answer: JsonAnswer, member: string): { id: number; name: string; isGroup: boolean }[] {
  const list = answer.value(member);
  if (list === null && answer.range('currentVersion') !== null) return [];
  if (!Array.isArray(list)) {
    if (list === null && member === 'tables') return [];
    throw answer.invalid(`it has no list '${member}', so it is not the document of a service`);
  }
  return list.flatMap((entry) => {
    const { id, name, subLayerIds, type } = objectOf(entry) ?? {};
    if (!isCount(id)) return [];
    const isGroup = Array.isArray(subLayerIds) || /^(group|raster) layer$/i.test(textOf(type) ?? '');
    return [{ id, name: textOf(name) ?? '', isGroup }];
  });
}

function fieldsOf(answer: JsonAnswer): readonly FieldDefinition[] {
  const list = answer.value('fields') ?? [];
  if (!Array.isArray(list) || list.length > MAX_FIELDS)
    throw answer.invalid(`its 'fields' is not a list of at most ${MAX_FIELDS} fields`);
  return list.flatMap((entry) => {
    const definition = objectOf(entry);
    const name = textOf(definition?.name);
    return definition === null || name === null ? [] : [{ name, definition }];
  });
}

function idFieldOf(fields: readonly FieldDefinition[]): string | null {
  return fields.find(({ definition }) => (definition as Members).type === 'esriFieldTypeOID')?.name ?? null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function objectOf(value: unknown): Members | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
