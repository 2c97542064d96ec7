/** Addresses in a request from which its files are fetched. */
import { failure } from '../errors.ts';
import type { Format } from '../formats/format.ts';
import { field } from '../message.ts';
import { isLayerUrl, parseLayerUrl } from '../remote-input/arcgis/layer-url.ts';
import { checkInputUrl } from '../remote-input/check-url.ts';
import type { LayerService } from '../remote-input/fetch-messages.ts';
import { pathName } from '../remote-input/file-name.ts';
import type { UrlPolicy } from '../remote-input/policy.ts';
import type { Endpoint } from './config-fields.ts';
import { type ConfigValues, invalid } from './config-values.ts';

export interface RemoteAddress {
  readonly url: URL;
  /** Null: it is the address of a file. */
  readonly service: LayerService | null;
}

export interface InputUrl extends RemoteAddress {
  /** Path in the config. */
  readonly path: string;
}

/** Null: the config has none. Throws INPUT_URL_DISABLED, URL_INVALID, URL_REFUSED and CONFIG_INVALID. */
export function parseUrl(
  values: ConfigValues,
  endpoint: Endpoint,
  format: Format,
  policy: UrlPolicy,
): InputUrl | null {
  // Checked even if fetching is disabled, so that a URL is never silently ignored.
  const { value, path } = values.take('inputUrl');
  if (value === undefined) return null;
  const part = endpoint.inputFormat === null ? 'input_file' : 'file';
  requireFetching(policy, path, part);
  if (endpoint.operation === 'append' || endpoint.operation === 'merge')
    throw invalid(path, `is not possible with ${endpoint.operation}; send the files themselves`);
  return { ...addressOf(checkInputUrl(String(value), policy, path), path, [format]), path };
}

/**
 * The address of the file of a step, which can have any of `formats`. Throws INPUT_URL_DISABLED, URL_INVALID and
 * URL_REFUSED.
 */
export function parseStepUrl(
  text: string,
  path: string,
  part: string,
  formats: readonly Format[],
  policy: UrlPolicy,
): RemoteAddress {
  requireFetching(policy, path, part);
  return addressOf(checkInputUrl(text, policy, path), path, formats);
}

/** `part`: that can have the file instead. Throws INPUT_URL_DISABLED. */
function requireFetching({ hosts }: UrlPolicy, path: string, part: string): void {
  if (hosts.length === 0) throw failure('INPUT_URL_DISABLED', { path: field(path), part });
}

/** A URL of the shape of a layer is that of a file in formats that no such server sends. */
function addressOf(url: URL, path: string, formats: readonly Format[]): RemoteAddress {
  const isLayer = layerFormatOf(url, formats) !== null;
  if (isLayer) parseLayerUrl(url, path);
  return { url, service: isLayer ? 'arcgis' : null };
}

/** The one of `formats` that layers of the server have; null: it is the URL of a file. */
export function layerFormatOf(url: URL, formats: readonly Format[]): Format | null {
  if (!isLayerUrl(url)) return null;
  return formats.find(({ layerService }) => layerService === 'arcgis') ?? null;
}

/** Null: the path ends in a slash. */
export function fileNameOf(url: URL): string | null {
  return pathName(url);
}
