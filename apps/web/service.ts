/** The service that sent this page, if one did: its client. And what geomill supports, which a service says or the build. */
import {
  type FormatList,
  type FormatRecord,
  GeomillClient,
  type Index,
  type TransformationRecord,
} from '@geomill/client/client.ts';
import { signal } from '@preact/signals';
import { AWAY_STATUSES, isAway } from './model/reconnect.ts';
import { needsSession, pageToken, SERVICE_URL } from './session.ts';

export { SERVICE_URL } from './session.ts';

/** What geomill supports, as a service lists it; the build writes it. */
declare const CATALOGUE_FILE: string;

/** Static sites have no service, and say so in the page. */
export const isStatic = document.querySelector('meta[name="geomill-service"][content="none"]') !== null;

/** Whether there is a service that can convert files. */
export const isServiceThere = signal(!isStatic);

/** Whether the last request got no response, or one of a proxy that did not reach the service. */
export const isServiceAway = signal(false);

const options = { baseUrl: SERVICE_URL, retry: { maxDelaySeconds: 10 }, fetch: watchedFetch };
export const client = new GeomillClient({ ...options, ...(needsSession ? { token: pageToken } : {}) });
/** For what the service gives to everybody, also before the user has signed in. */
const publicClient = new GeomillClient(options);

export interface Catalogue {
  /** Its limits, and the map tiles it wants shown; null: there is no service. */
  readonly service: Index | null;
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
    catalogue.value = { state: 'ready', value: isStatic ? await builtCatalogue() : await serviceCatalogue() };
  } catch (error) {
    catalogue.value = { state: 'failed', message: messageOf(error) };
  }
}

/** Of the service. One that does not answer is done without: the page can convert by itself. */
async function serviceCatalogue(): Promise<Catalogue> {
  try {
    const [service, { formats, unsupported }, { transformations, groups }] = await Promise.all([
      publicClient.service(),
      publicClient.formatList(),
      publicClient.transformationList(),
    ]);
    isServiceThere.value = true;
    return { service, formats, unsupported, transformations, stepGroups: groups };
  } catch (error) {
    if (!isAway(error)) throw error;
    const built = await builtCatalogue().catch(() => null);
    if (built === null) throw error;
    isServiceThere.value = false;
    return built;
  }
}

async function builtCatalogue(): Promise<Catalogue> {
  const response = await fetch(new URL(CATALOGUE_FILE, import.meta.url));
  if (!response.ok) throw new Error(`A file of this page is missing (${response.status}). Reload the page.`);
  return { service: null, ...((await response.json()) as Omit<Catalogue, 'service'>) };
}

export function formatOf(id: string): FormatRecord | null {
  const { value: loaded } = catalogue;
  return loaded.state === 'ready' ? (loaded.value.formats.find((format) => format.id === id) ?? null) : null;
}

/** Whether the operator has allowed hosts from which the service fetches inputs. */
export function canFetchUrls(): boolean {
  const { value: loaded } = catalogue;
  return loaded.state === 'ready' && loaded.value.service?.fetches_urls === true;
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
