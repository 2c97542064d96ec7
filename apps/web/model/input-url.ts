/** Inputs that the service fetches: what their URLs say. Pure. */
import type { FormatRecord } from '@geomill/client/client.ts';
import { formatOfName } from './grouping.ts';

/** As the service recognises layers of ArcGIS servers; the name is that of the map or feature service. */
const LAYER_PATH = /([^/]+)\/(?:Feature|Map)Server(?:\/\d{1,10})?(?:\/query)?\/?$/i;

export function isWebAddress(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 8192 || !URL.canParse(value)) return false;
  const { protocol } = new URL(value);
  return protocol === 'http:' || protocol === 'https:';
}

/** Last part of a path. */
export function fileNameOf(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? '';
}

/** Name of the file at a URL, or of the service of a layer; 'input' if the URL has none. */
export function nameOfUrl(url: string): string {
  const { pathname } = new URL(url);
  const name = LAYER_PATH.exec(pathname)?.[1] ?? fileNameOf(pathname);
  try {
    return decodeURIComponent(name).replace(/[/\\]/g, '_') || 'input';
  } catch {
    return name;
  }
}

export const NO_FORMAT = 'The URL does not show the format of the file.';

/** The format that a URL shows; null: none that can be read. */
export function formatOfUrl(url: string, formats: readonly FormatRecord[]): string | null {
  const layers = formats.find(({ layer_service: kind }) => kind === 'arcgis');
  if (layers !== undefined && LAYER_PATH.test(new URL(url).pathname)) return layers.id;
  return formatOfName(nameOfUrl(url), formats);
}

/** Host and path of a URL, without what may be secret: its parameters. */
export function shownUrl(url: string): string {
  const { host, pathname } = new URL(url);
  return host + pathname;
}
