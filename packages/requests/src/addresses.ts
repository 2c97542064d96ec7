/** Where the files of a request are, if the request does not have the files themselves. */
import { failure } from '@geomill/core/messages/errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import type { Format } from '@geomill/formats/format.ts';
import type { Endpoint } from './config-fields.ts';
import type { ConfigValues } from './config-values.ts';
import { requestErrors } from './messages.ts';

/** A URL from which a file of a request is fetched. */
export interface RemoteAddress {
  readonly url: URL;
  /** The kind of servers whose layers are fetched by such URLs; null: it is the address of a file. */
  readonly service: NonNullable<Format['layerService']> | null;
}

export interface InputUrl extends RemoteAddress {
  /** Path in the config. */
  readonly path: string;
}

/** An upload that a request names. */
export interface UploadReference {
  readonly id: string;
  /** Where the request names it. */
  readonly path: string;
}

/** Checks the addresses of a request. What it throws names their paths. */
export interface AddressParser {
  /** The address of the input; null: the config has none. */
  input(values: ConfigValues, endpoint: Endpoint, format: Format): InputUrl | null;
  /** The address of the file of a step, which can have any of `formats`. `part`: that can have the file instead. */
  step(text: string, path: string, part: string, formats: readonly Format[]): RemoteAddress;
}

/** Of those who fetch nothing. */
export const NO_ADDRESSES: AddressParser = {
  input(values, { inputFormat }) {
    const { value, path } = values.take('inputUrl');
    if (value === undefined) return null;
    throw notFetched(path, inputFormat === null ? 'input_file' : 'file');
  },
  step(_text, path, part) {
    throw notFetched(path, part);
  },
};

/** INPUT_URL_DISABLED. `part`: that can have the file instead. */
export function notFetched(path: string, part: string): Error {
  return failure(requestErrors.INPUT_URL_DISABLED, { path: field(path), part });
}
