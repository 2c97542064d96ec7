/** Opens the store that STORE_URL names. Code of stores other than the data directory is loaded only where it is used. */
import { fileURLToPath } from 'node:url';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { LocalStore } from './local-store.ts';
import type { S3Settings } from './s3-transport.ts';
import type { FileStore } from './store.ts';
import { StoreFault } from './store-fault.ts';

export interface StoreOptions {
  /** As STORE_URL; null: the data directory. */
  readonly url: string | null;
  readonly dataDirectory: string;
  /** Where the URL is one of S3. */
  readonly s3: Omit<S3Settings, 'bucket' | 'prefix'>;
}

/** The settings of a store. */
export interface StoreSettings {
  readonly storeUrl: string | null;
  readonly s3Endpoint: string | null;
  readonly s3PublicEndpoint: string | null;
  readonly s3Region: string;
  readonly s3AccessKeyId: string | null;
  readonly s3SecretAccessKey: string | null;
  readonly s3SessionToken: string | null;
}

export function storeOptions(settings: StoreSettings, dataDirectory: string): StoreOptions {
  return {
    url: settings.storeUrl,
    dataDirectory,
    s3: {
      endpoint: settings.s3Endpoint,
      publicEndpoint: settings.s3PublicEndpoint,
      region: settings.s3Region,
      accessKeyId: settings.s3AccessKeyId ?? '',
      secretAccessKey: settings.s3SecretAccessKey ?? '',
      sessionToken: settings.s3SessionToken,
    },
  };
}

/** Throws SETTING_INVALID where a store that is not the data directory cannot be written. */
export async function openStore({ url, dataDirectory, s3 }: StoreOptions): Promise<FileStore> {
  if (url === null) return new LocalStore(dataDirectory);
  try {
    const store = await openShared(url, s3);
    await store.checkWritable();
    return store;
  } catch (error) {
    const reason =
      error instanceof StoreFault ? `${error.reason} (${error.detail})` : (error as Error).message;
    throw failure(generalErrors.SETTING_INVALID, { name: 'STORE_URL', value: url, reason }, undefined, error);
  }
}

async function openShared(url: string, s3: StoreOptions['s3']): Promise<FileStore> {
  if (url.startsWith('file:')) {
    const { SharedDirectoryStore } = await import('./shared-directory.ts');
    return new SharedDirectoryStore(fileURLToPath(url));
  }
  const { S3Store } = await import('./s3-store.ts');
  const [bucket, ...prefix] = url.slice('s3://'.length).split('/');
  return new S3Store({ ...s3, bucket, prefix: prefix.join('/') });
}
