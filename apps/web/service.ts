/** The service that sent this page: its client and what it supports. */
import {
  type FormatList,
  type FormatRecord,
  GeomillClient,
  type Index,
  type TransformationRecord,
} from '@geomill/client/client.ts';
import { signal } from '@preact/signals';
import { AWAY_STATUSES } from './model/reconnect.ts';
import { needsSession, pageToken, SERVICE_URL } from './session.ts';

export { SERVICE_URL } from './session.ts';

/** Whether the last request got no response, or one of a proxy that did not reach the service. */
export const isServiceAway = signal(false);

const options = { baseUrl: SERVICE_URL, retry: { maxDelaySeconds: 10 }, fetch: watchedFetch };
export const client = new GeomillClient({ ...options, ...(needsSession ? { token: pageToken } : {}) });
/** For what the service gives to everybody, also before the user has signed in. */
const publicClient = new GeomillClient(options);

export interface Catalogue {
  /** Its limits, and the map tiles it wants shown. */
  readonly service: Index;
  readonly formats: readonly FormatRecord[];
  readonly unsupported: FormatList['unsupported'];
  readonly transformations: readonly TransformationRecord[];
  /** Of the transformations, in the order of a list. */
  readonly stepGroups: readonly string[];
}

export type Loading<Value> =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly value: Value }
  | { readonly state: 'failed'; readonly message: string };

export const catalogue = signal<Loading<Catalogue>>({ state: 'loading' });

export async function loadCatalogue(): Promise<void> {
  catalogue.value = { state: 'loading' };
  try {
    const [service, { formats, unsupported }, { transformations, groups }] = await Promise.all([
      publicClient.service(),
      publicClient.formatList(),
      publicClient.transformationList(),
    ]);
    catalogue.value = {
      state: 'ready',
      value: { service, formats, unsupported, transformations, stepGroups: groups },
    };
  } catch (error) {
    catalogue.value = { state: 'failed', message: messageOf(error) };
  }
}

export function formatOf(id: string): FormatRecord | null {
  const { value: loaded } = catalogue;
  return loaded.state === 'ready' ? (loaded.value.formats.find((format) => format.id === id) ?? null) : null;
}

/** Whether the operator has allowed hosts from which the service fetches inputs. */
export function canFetchUrls(): boolean {
  const { value: loaded } = catalogue;
  return loaded.state === 'ready' && loaded.value.service.fetches_urls;
}

async function watchedFetch(...request: Parameters<typeof fetch>): Promise<Response> {
  try {
    const response = await fetch(...request);
    isServiceAway.value = AWAY_STATUSES.has(response.status);
    return response;
  } catch (error) {
    if (error instanceof TypeError) isServiceAway.value = true;
    throw error;
  }
}

/** What people read of an error: the sentence of the service, or of the browser. */
export function messageOf(error: unknown): string {
  if (error instanceof TypeError) return 'The service does not answer. Check the connection, then try again.';
  return error instanceof Error ? error.message : String(error);
}
