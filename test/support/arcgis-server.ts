/** An ArcGIS server on this machine with one layer, three features a page, that misbehaves on demand. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type FileHost, startFileHost } from './file-host.ts';

export interface StoredFeature {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly geometry?: object;
}

export interface ArcgisOptions {
  /** Default: seven points with gaps between their ids. */
  readonly features?: readonly StoredFeature[];
  readonly maxRecordCount?: number;
  /** Members of the document of the layer that differ. */
  readonly layer?: object;
  /** Members of each page that differ. */
  readonly page?: object;
  /** Layers in the document of the service. */
  readonly service?: object;
  /** Sent instead of what would be; undefined: what would be. `request` counts from 1. */
  readonly instead?: (query: URLSearchParams, request: number) => unknown;
  /** Changes the ids, in no order, before they are sent. */
  readonly ids?: (ids: readonly number[], request: number) => readonly number[];
  readonly count?: (count: number, request: number) => number;
  /** Changes the features that match before they are cut to a page. */
  readonly matches?: (features: readonly StoredFeature[], query: URLSearchParams) => readonly StoredFeature[];
  /** Whether pages that are cut say so. Default: true. */
  readonly saysCut?: boolean;
  /** Writes the response itself; false: it did not. */
  readonly respond?: (request: IncomingMessage, response: ServerResponse, count: number) => boolean;
  readonly gzip?: boolean;
}

export const IDS = [3, 4, 5, 8, 13, 14, 40];
export const POINTS: readonly StoredFeature[] = IDS.map((id) => ({
  attributes: { OBJECTID: id, name: `n"${id}`, kind: id % 2 },
  geometry: { x: id, y: -id },
}));

const ID_FIELD = { name: 'OBJECTID', type: 'esriFieldTypeOID', alias: 'OBJECTID' };
const KINDS = {
  type: 'codedValue',
  name: 'kinds',
  codedValues: [
    { name: 'even', code: 0 },
    { name: 'odd', code: 1 },
  ],
};
export const FIELDS = [
  ID_FIELD,
  { name: 'name', type: 'esriFieldTypeString', alias: 'Name', length: 20 },
  { name: 'kind', type: 'esriFieldTypeInteger', alias: 'Kind', domain: KINDS },
];

export const LAYER_PATH = '/arcgis/rest/services/Roads/FeatureServer/0';
const SERVICE_PATH = '/arcgis/rest/services/Roads/FeatureServer';

export async function startArcgis(options: ArcgisOptions = {}): Promise<FileHost> {
  let count = 0;
  const send = (response: ServerResponse, body: unknown): void => {
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    if (options.gzip === true) response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(bytes));
    else response.end(bytes);
  };
  const answer =
    (normal: (query: URLSearchParams) => unknown) =>
    (request: IncomingMessage, response: ServerResponse): void => {
      count++;
      if (options.respond?.(request, response, count) === true) return;
      const query = new URL(request.url ?? '', 'http://host').searchParams;
      send(response, options.instead?.(query, count) ?? normal(query));
    };
  return startFileHost({
    [SERVICE_PATH]: answer(() => ({
      currentVersion: 11.1,
      layers: [{ id: 0, name: 'Roads' }],
      tables: [],
      ...options.service,
    })),
    [LAYER_PATH]: answer(() => layerDocument(options)),
    [`${LAYER_PATH}/query`]: answer((query) => queried(query, options, count)),
  });
}

function layerDocument({ maxRecordCount = 3, layer }: ArcgisOptions): object {
  return {
    id: 0,
    name: 'Main roads',
    type: 'Feature Layer',
    geometryType: 'esriGeometryPoint',
    objectIdField: 'OBJECTID',
    fields: FIELDS,
    maxRecordCount,
    capabilities: 'Query',
    extent: { xmin: 0, ymin: 0, xmax: 1, ymax: 1, spatialReference: { wkid: 102100, latestWkid: 3857 } },
    advancedQueryCapabilities: { supportsOrderBy: true },
    ...layer,
  };
}

function queried(query: URLSearchParams, options: ArcgisOptions, request: number): object {
  const { features = POINTS, maxRecordCount = 3, saysCut = true } = options;
  const selected = features.filter((feature) => fulfils(feature, query.get('where') ?? ''));
  const ids = selected.map(({ attributes }) => Number(attributes.OBJECTID));
  if (query.get('returnCountOnly') === 'true')
    return { count: options.count?.(selected.length, request) ?? selected.length };
  if (query.get('returnIdsOnly') === 'true') {
    const listed = options.ids?.(ids, request) ?? ids;
    return { objectIdFieldName: 'OBJECTID', objectIds: listed.length === 0 ? null : listed };
  }
  const matching = options.matches?.(selected, query) ?? selected;
  const page = matching.slice(0, maxRecordCount);
  return {
    objectIdFieldName: 'OBJECTID',
    geometryType: 'esriGeometryPoint',
    spatialReference: { wkid: 102100, latestWkid: 3857 },
    fields: FIELDS.map(({ name, type }) => ({ name, type })),
    features: page,
    ...(saysCut && page.length < matching.length ? { exceededTransferLimit: true } : {}),
    ...options.page,
  };
}

/** Understands `OBJECTID >= 3 AND OBJECTID <= 5`, and `kind = 1` before it. */
function fulfils({ attributes }: StoredFeature, where: string): boolean {
  for (const [, name, operator, value] of where.matchAll(/(\w+) (>=|<=|=) (-?\d+)/g)) {
    const own = Number(attributes[name]);
    if (operator === '>=' && !(own >= Number(value))) return false;
    if (operator === '<=' && !(own <= Number(value))) return false;
    if (operator === '=' && own !== Number(value)) return false;
  }
  return true;
}
