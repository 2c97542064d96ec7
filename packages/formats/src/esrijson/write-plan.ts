/** Plans the feature sets of an output: one for each layer and kind of geometry. */
import { jsonAsText } from '@geomill/core/columns/cast.ts';
import type { Field, FieldType } from '@geomill/core/columns/schema.ts';
import type { GeometryStatistics, LayerStatistics } from '@geomill/core/columns/statistics.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import { GEOMETRY_TYPE, PART_KIND } from '@geomill/core/geometry/geometry-column.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { type CoordinateRounding, coordinateRounding } from '../coordinate-digits.ts';
import { formatFindings } from '../findings.ts';
import { hasMultiPoints, type KindPlan, partNames, planKinds } from '../single-kind.ts';
import type { LayerEncoding, OutputLayer, WriteContext } from '../writer.ts';
import { factMembers } from './field-facts.ts';
import { esrijsonFindings } from './messages.ts';
import { spatialReferenceOf } from './spatial-reference.ts';

export interface SetPlan extends KindPlan {
  readonly name: string;
  /** Null: a table. */
  readonly geometryType: string | null;
  readonly hasMultiPoints: boolean;
}

/** Plain data. */
export interface WriteState {
  readonly layer: string;
  readonly sets: readonly SetPlan[];
  readonly fields: readonly Field[];
  /** Name of the field with the object ids; null: the set has none, as `object_ids` is "keep". */
  readonly objectId: string | null;
  /** The object ids are the numbers of the features. */
  readonly areIdsAdded: boolean;
  readonly rounding: CoordinateRounding;
}

/** The members of a feature set other than its geometry type and its features. */
export interface SetMembers {
  readonly hasZ: boolean;
  readonly hasM: boolean;
  readonly spatialReference: object | null;
  readonly fields: readonly object[];
}

/** A layer as the sink gets it. */
export interface SinkState extends WriteState {
  readonly members: SetMembers;
}

const ESRI_TYPES: Readonly<Record<FieldType, string>> = {
  boolean: 'SmallInteger',
  int32: 'Integer',
  int64: 'BigInteger',
  float64: 'Double',
  string: 'String',
  json: 'String',
  date: 'DateOnly',
  datetime: 'Date',
  binary: 'Blob',
};
/** What the types become that Esri does not have. */
const RETYPED: Partial<Record<FieldType, string>> = {
  boolean: 'the integers 0 and 1',
  json: 'text',
  binary: 'base64 text',
};
const OBJECT_ID_NAMES = /^(?:objectid|oid|fid)$/i;

export function planLayers(layers: readonly OutputLayer[], context: WriteContext): LayerEncoding[] {
  const suffixes = layers.map(({ statistics }) =>
    statistics === null ? [''] : planKinds(statistics.geometry).map(({ suffix }) => suffix),
  );
  const names = partNames(
    layers.map(({ name }) => name),
    suffixes,
  );
  return layers.map((layer, i) => planLayer(layer, names[i], context));
}

/** `stored`: the name of the layer in the file. */
function planLayer(layer: OutputLayer, stored: string, { options, findings }: WriteContext): LayerEncoding {
  const { name, fields, statistics, crs } = layer;
  if (fields === null || statistics === null)
    throw failure(generalErrors.INTERNAL, { reason: 'the EsriJSON writer was given no statistics' });
  const spatialReference = spatialReferenceOf(crs);
  if (spatialReference === null)
    findings.note(formatFindings.CRS_NOT_WRITTEN, {
      crs: crs.name,
      reason: 'it has no code and no form in the WKT of Esri',
    });
  for (const { name: field, type } of fields) {
    const to = RETYPED[type];
    if (to !== undefined) findings.note(formatFindings.FIELD_RETYPED, { field, layer: name, from: type, to });
  }
  if (statistics.hasIds && layer.idField === undefined)
    findings.note(formatFindings.IDS_DROPPED, { format: 'EsriJSON' }, undefined, statistics.rowCount);
  if (stored !== name)
    findings.note(formatFindings.LAYER_RENAMED, { from: name, to: stored, format: 'EsriJSON' });
  const sets = planSets(stored, statistics.geometry);
  if (sets.length > 1)
    findings.note(esrijsonFindings.ESRIJSON_SETS_SPLIT, {
      layer: name,
      names: sets.map((set) => set.name).join(', '),
    });
  const existing = existingId(layer, fields, statistics);
  const areIdsAdded = existing === null && options.object_ids !== 'keep';
  const objectId = areIdsAdded ? freeName(fields) : existing;
  if (areIdsAdded && objectId !== null)
    findings.note(esrijsonFindings.ESRIJSON_IDS_ADDED, { layer: name, field: objectId });
  const state: WriteState = {
    layer: name,
    sets,
    fields,
    objectId,
    areIdsAdded,
    rounding: coordinateRounding(layer, options),
  };
  const members: SetMembers = {
    hasZ: statistics.geometry.hasZ,
    hasM: statistics.geometry.hasM,
    spatialReference,
    fields: memberFields(layer, fields, statistics, objectId, areIdsAdded),
  };
  return { fields: jsonAsText(fields), state, sinkState: members };
}

function planSets(layer: string, geometry: GeometryStatistics): SetPlan[] {
  const isTable = geometry.typeCounts.every((count, type) => type === GEOMETRY_TYPE.none || count === 0);
  const isMulti = hasMultiPoints(geometry);
  return planKinds(geometry).map((plan) => ({
    ...plan,
    name: layer + plan.suffix,
    geometryType: isTable ? null : geometryType(plan.kind, isMulti),
    hasMultiPoints: isMulti,
  }));
}

function geometryType(kind: number, isMulti: boolean): string {
  if (kind === PART_KIND.polygon) return 'esriGeometryPolygon';
  if (kind === PART_KIND.line) return 'esriGeometryPolyline';
  return isMulti ? 'esriGeometryMultipoint' : 'esriGeometryPoint';
}

/** A field of integers without nulls that holds the ids of features, or has the name of an object id. */
function existingId(
  { idField }: OutputLayer,
  fields: readonly Field[],
  { fields: statistics, rowCount }: LayerStatistics,
): string | null {
  const counts = new Map(statistics.map(({ name, nonNullCount }) => [name, nonNullCount]));
  const isId = ({ name, type }: Field): boolean =>
    (type === 'int32' || type === 'int64') && (counts.get(name) ?? 0) === rowCount;
  const named = fields.find((field) => OBJECT_ID_NAMES.test(field.name) && isId(field));
  return named?.name ?? fields.find((field) => field.name === idField && isId(field))?.name ?? null;
}

function freeName(fields: readonly Field[]): string {
  const fold = (name: string): string => name.toLowerCase();
  return new UniqueNames({ fold, taken: fields.map(({ name }) => fold(name)) }).take('OBJECTID');
}

function memberFields(
  { facts }: OutputLayer,
  fields: readonly Field[],
  statistics: LayerStatistics,
  objectId: string | null,
  isAdded: boolean,
): object[] {
  const lengths = new Map(statistics.fields.map(({ name, maxLength }) => [name, maxLength]));
  const members = fields.map((field) => {
    const { name, type } = field;
    const isId = name === objectId;
    const own = facts?.fields.get(name) ?? {};
    const longest = Math.max(1, lengths.get(name) ?? 1, own.width ?? 1);
    const length = type === 'string' || type === 'json' ? { length: longest } : {};
    const esriType = `esriFieldType${isId ? 'OID' : ESRI_TYPES[type]}`;
    return { name, type: esriType, alias: name, ...length, ...(isId ? {} : factMembers(field, own)) };
  });
  if (!isAdded || objectId === null) return members;
  return [{ name: objectId, type: 'esriFieldTypeOID', alias: objectId }, ...members];
}
