/**
 * URLs of layers of ArcGIS servers: `.../FeatureServer/0`, `.../MapServer/3/query?where=...`, `.../FeatureServer`.
 *
 * The parameters of the URL that select features or shape them (where, geometry, outFields, outSR, token, ...) are sent with
 * each query. Parameters that cut a page out of the result are replaced by our own.
 */

import { failure } from '@geomill/core/messages/errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { shortText } from '@geomill/core/messages/short-text.ts';
import { pathName } from '@geomill/library/file-name.ts';
import { urlErrors } from '@geomill/library/url-messages.ts';

const PATH = /^(.*\/(?:Feature|Map)Server)(?:\/(\d{1,10}))?(?:\/query)?\/?$/i;

export interface LayerUrl {
  /** Without layer, query and parameters: `https://host/arcgis/rest/services/Roads/FeatureServer`. */
  readonly service: string;
  /** Null: the URL of a service. */
  readonly layer: number | null;
  /** Sent with each query. They may contain a token: do not show or log them. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Names of parameters that are not sent: they cut a page out of the result, or order it. */
  readonly ignored: readonly string[];
}

/** Replaced by our own: all features are read, page by page. */
const PAGING: ReadonlySet<string> = new Set(
  ['f', 'resultOffset', 'resultRecordCount', 'resultType', 'orderByFields', 'callback'].map(lower),
);
/** Their answers are no features, or not the features that are stored. */
const UNREADABLE: ReadonlySet<string> = new Set(
  [
    'outStatistics',
    'groupByFieldsForStatistics',
    'having',
    'returnCountOnly',
    'returnIdsOnly',
    'returnExtentOnly',
    'returnUniqueIdsOnly',
    'returnDistinctValues',
    'quantizationParameters',
    'layerDefs',
  ].map(lower),
);
/** Sent with our own values. */
const OWN: ReadonlySet<string> = new Set(['returnZ', 'returnM', 'returnExceededLimitFeatures'].map(lower));

/** Whether the URL is that of a layer or a service of an ArcGIS server, by its path. */
export function isLayerUrl(url: URL): boolean {
  return PATH.test(url.pathname);
}

/** `path`: its location in the request. Throws URL_INVALID for parameters with which a server returns no features. */
export function parseLayerUrl(url: URL, path: string): LayerUrl {
  const [, service, number] = PATH.exec(url.pathname) ?? [];
  if (service === undefined)
    throw failure(urlErrors.URL_INVALID, {
      path: field(path),
      reason: 'it is not the URL of an ArcGIS layer',
    });
  const parameters = new Map<string, string>();
  const ignored: string[] = [];
  for (const [name, value] of url.searchParams) {
    const key = lower(name);
    if (UNREADABLE.has(key) && isSet(value)) throw unreadable(name, path);
    if (PAGING.has(key)) {
      if (key !== 'f' && value !== '') ignored.push(shortText(name, 40));
    } else if (!UNREADABLE.has(key) && !OWN.has(key)) parameters.set(wellKnown(name), value);
  }
  return {
    service: url.origin + service,
    layer: number === undefined ? null : Number(number),
    parameters,
    ignored,
  };
}

/** The name of the service, for a file that has no better one: `Roads`. */
export function serviceName(url: URL): string | null {
  const service = PATH.exec(url.pathname)?.[1] ?? '';
  return pathName(new URL(service.replace(/\/[^/]*$/, ''), url));
}

/** The URL of a document about the service or a layer of it; it has the parameters that are not those of queries. */
export function documentUrl({ service, parameters }: LayerUrl, layer: number | null): URL {
  const url = new URL(layer === null ? service : `${service}/${layer}`);
  for (const [name, value] of parameters) if (!QUERY.has(name)) url.searchParams.set(name, value);
  url.searchParams.set('f', 'json');
  return url;
}

/** The URL of a query with `own` parameters, which replace those of the URL. */
export function queryUrl(
  { service, parameters }: LayerUrl,
  layer: number,
  own: Readonly<Record<string, string>>,
): URL {
  const url = new URL(`${service}/${layer}/query`);
  for (const [name, value] of parameters) url.searchParams.set(name, value);
  if (!parameters.has('where')) url.searchParams.set('where', '1=1');
  for (const [name, value] of Object.entries(own)) url.searchParams.set(name, value);
  url.searchParams.set('f', 'json');
  return url;
}

/** Values that messages of the server must not repeat, such as tokens. */
export function secretsOf({ parameters }: LayerUrl): string[] {
  return [...parameters].flatMap(([name, value]) => (QUERY.has(name) || value.length < 4 ? [] : [value]));
}

/** Parameters of queries that the code needs by name; servers accept any letter case. */
const WELL_KNOWN: readonly string[] = ['where', 'outFields', 'returnGeometry', 'token'];
/** Parameters that mean nothing for the document of a layer, which may be long. */
const QUERY: ReadonlySet<string> = new Set([
  'where',
  'outFields',
  'returnGeometry',
  'geometry',
  'geometryType',
  'inSR',
  'outSR',
  'spatialRel',
  'objectIds',
  'time',
  'distance',
  'units',
]);

function wellKnown(name: string): string {
  return WELL_KNOWN.find((known) => lower(known) === lower(name)) ?? name;
}

function isSet(value: string): boolean {
  return value !== '' && lower(value) !== 'false';
}

function unreadable(name: string, path: string): Error {
  const reason = `with its parameter '${shortText(name, 40)}' a server does not return features; remove it`;
  return failure(urlErrors.URL_INVALID, { path: field(path), reason });
}

function lower(text: string): string {
  return text.toLowerCase();
}
