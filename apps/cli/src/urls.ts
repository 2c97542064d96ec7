/** Inputs of a command that are URLs: what their texts say. remote-files.ts fetches them. */
import { basename } from 'node:path';
import { shortText } from '@geomill/core/messages/short-text.ts';
import type { InputFormat } from '@geomill/formats/format.ts';
import { inputFormats } from '@geomill/formats/registry.ts';
import { pathName } from '@geomill/library/file-name.ts';
import { plainFileName } from '@geomill/library/output-name.ts';
import { isLayerUrl, serviceName } from '@geomill/service/remote-input/arcgis/layer-url.ts';

/** Whether a name on a command line is a URL, and no path. */
export function isUrl(name: string): boolean {
  return /^https?:\/\//i.test(name);
}

/** The name of the file at a URL, or of the service of a layer; 'input' if the URL has none. */
export function fileNameOf(url: string): string {
  const parsed = URL.parse(url);
  const name = parsed === null ? null : isLayerUrl(parsed) ? serviceName(parsed) : pathName(parsed);
  return plainFileName(name ?? '', 'input');
}

/** The name of an input without its directory or host. */
export function nameOfInput(input: string): string {
  return isUrl(input) ? fileNameOf(input) : basename(input);
}

/** The format of the layers of the server that the URL is one of; null: it is the URL of a file. */
export function layerFormatOf(url: string): InputFormat | null {
  const parsed = URL.parse(url);
  if (parsed === null || !isLayerUrl(parsed)) return null;
  return inputFormats.find(({ layerService }) => layerService === 'arcgis') ?? null;
}

/** An input in messages and reports: a URL without what may be secret, its parameters and a password. */
export function shownInput(input: string): string {
  if (!isUrl(input)) return input;
  return shortText(input.split(/[?#]/, 1)[0].replace(/^(https?:\/\/)[^/]*@/i, '$1'), 200);
}
