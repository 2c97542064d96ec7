/** Addresses in a request from which its files are fetched. */
import type { Format } from '@geomill/formats/format.ts';
import { pathName } from '@geomill/library/file-name.ts';
import { type AddressParser, notFetched, type RemoteAddress } from '@geomill/requests/addresses.ts';
import { invalid } from '@geomill/requests/config-values.ts';
import { isLayerUrl, parseLayerUrl } from '../remote-input/arcgis/layer-url.ts';
import { checkInputUrl } from '../remote-input/check-url.ts';
import type { UrlPolicy } from '../remote-input/policy.ts';

/** `policy`: the hosts from which files are fetched. The parser throws INPUT_URL_DISABLED, URL_INVALID, URL_REFUSED and CONFIG_INVALID. */
export function addressParser(policy: UrlPolicy): AddressParser {
  const requireFetching = (path: string, part: string): void => {
    if (policy.hosts.length === 0) throw notFetched(path, part);
  };
  return {
    input(values, { inputFormat, operation }, format) {
      // Checked even if fetching is disabled, so that a URL is never silently ignored.
      const { value, path } = values.take('inputUrl');
      if (value === undefined) return null;
      requireFetching(path, inputFormat === null ? 'input_file' : 'file');
      if (operation === 'append' || operation === 'merge')
        throw invalid(path, `is not possible with ${operation}; send the files themselves`);
      return { ...addressOf(checkInputUrl(String(value), policy, path), path, [format]), path };
    },
    step(text, path, part, formats) {
      requireFetching(path, part);
      return addressOf(checkInputUrl(text, policy, path), path, formats);
    },
  };
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
