/**
 * Fetches all features of a layer of an ArcGIS server into one FeatureSet (EsriJSON).
 *
 * A server returns at most `maxRecordCount` features, often fewer, and does not always say so. So the object ids are listed
 * first, the features are queried by ranges of ids, and each page must have exactly the ids of its range. Where a server allows no such
 * condition, they are queried by lists of ids, then by offsets. Alternative rejected: offsets alone, which skip and repeat features
 * where the server does not sort, or features are added meanwhile.
 */
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { shortText } from '@geomill/core/messages/short-text.ts';
import { MAX_NAME_CHARACTERS } from '@geomill/library/file-name.ts';
import { checkInputUrl, hostOf } from '../check-url.ts';
import type { Outside } from '../connect.ts';
import { remoteInputErrors } from '../errors.ts';
import type { FetchedFile, FetchTask } from '../fetch-messages.ts';
import { FeatureSetFile } from './feature-set-file.ts';
import { type Layer, onlyLayer, readLayer } from './layer.ts';
import { documentUrl, type LayerUrl, parseLayerUrl, queryUrl, secretsOf, serviceName } from './layer-url.ts';
import { checkCount, differenceOf, type IdList, readIds } from './object-ids.ts';
import { type Page, readPage } from './page.ts';
import { isTransient, ServiceRequests } from './requests.ts';
import { isFailedQuery, Selection } from './selection.ts';
import { WindowSize, windowEnd } from './windows.ts';

const MAX_PAGE_BYTES = 32 * 1024 * 1024;
const MAX_ID_BYTES = 128 * 1024 * 1024;
const MAX_SHOWN_IGNORED = 200;

/**
 * Resolves when the file is complete at `task.path`, with as many features as the server counts. Throws what `fetchFile`
 * throws, SERVICE_ERROR, SERVICE_LAYERS, SERVICE_NO_FEATURES, SERVICE_ANSWER_INVALID, SERVICE_INCOMPLETE and SERVICE_CHANGED.
 */
export async function fetchLayer(task: FetchTask, outside: Outside): Promise<FetchedFile> {
  const url = checkInputUrl(task.url, task.policy, task.urlPath);
  const layerUrl = parseLayerUrl(url, task.urlPath);
  using requests = new ServiceRequests(task, outside, secretsOf(layerUrl));
  const layer = await openLayer(url, layerUrl, requests);
  const source = new LayerSource(url, layerUrl, layer, requests);
  await using file = await FeatureSetFile.create(task.path, layer, url, task.limits.maxBytes);
  await readAll(source, file);
  await file.finish();
  const name = layer.name === '' ? serviceName(url) : layer.name;
  return {
    host: hostOf(url),
    byteLength: file.byteLength,
    name: `${(name ?? 'layer').slice(0, MAX_NAME_CHARACTERS - 20)}.esrijson`,
    end: 'stated',
    layer: {
      name: shortText(layer.name, 100),
      features: file.featureCount,
      requests: requests.count,
      ignoredParameters: shortText(layerUrl.ignored.join(', '), MAX_SHOWN_IGNORED),
    },
  };
}

async function openLayer(url: URL, layerUrl: LayerUrl, requests: ServiceRequests): Promise<Layer> {
  const host = hostOf(url);
  const number = layerUrl.layer ?? onlyLayer(await requests.getPatiently(documentUrl(layerUrl, null)), host);
  return readLayer(await requests.getPatiently(documentUrl(layerUrl, number)), number, host);
}

async function readAll(source: LayerSource, file: FeatureSetFile): Promise<void> {
  const { count, list } = await source.contents();
  if (list === null || list.ids.length === 0) {
    const page = await source.wholePage();
    if (count === null && source.mayBeCut(page)) throw source.incomplete(null, list, page.count, NO_COUNT);
    if (count !== null && (page.count !== count || page.isCut))
      throw source.incomplete(count, list, page.count, NO_PAGES);
    await file.append(page);
  } else {
    for await (const page of source.pages(list)) await file.append(page);
  }
  const countAfter = await source.countAfter(list);
  if (countAfter !== null && countAfter !== file.featureCount)
    throw await source.explain(countAfter, list, file.featureCount, 'its count changed');
}

const NO_PAGES = 'a layer without object ids can be read in one page only';
const NO_COUNT = 'without both, a page that is full may not have all features';

/** The answers of a server about one layer. */
class LayerSource {
  readonly #url: URL;
  readonly #layerUrl: LayerUrl;
  readonly #layer: Layer;
  readonly #requests: ServiceRequests;
  readonly #selection = new Selection();

  constructor(url: URL, layerUrl: LayerUrl, layer: Layer, requests: ServiceRequests) {
    this.#url = url;
    this.#layerUrl = layerUrl;
    this.#layer = layer;
    this.#requests = requests;
  }

  /**
   * The number of features and their ids. Null: the server states no number, the layer has no object ids. Both are asked for again if
   * they differ, as features may have been added in between. Throws SERVICE_INCOMPLETE.
   */
  async contents(): Promise<{ readonly count: number | null; readonly list: IdList | null }> {
    for (let tries = 1; ; tries++) {
      const count = await this.#count();
      if (count !== null) checkCount(count, this.#host);
      if (this.#layer.idField === null) return { count, list: null };
      const list = await this.#ids();
      if (count === null || list.ids.length === count) return { count, list };
      if (tries === 2) throw this.incomplete(count, list, 0, 'these numbers differ');
    }
  }

  /** The number of features, or of ids where the server states no number; null: it has neither. */
  async countAfter(list: IdList | null): Promise<number | null> {
    const count = await this.#count();
    return count === null && list !== null ? (await this.#ids()).ids.length : count;
  }

  /** Whether the only page may lack features. */
  mayBeCut(page: Page): boolean {
    return page.isCut || page.count >= this.#layer.pageSize;
  }

  /** Null: the server does not know returnCountOnly, which it refuses or ignores. */
  async #count(): Promise<number | null> {
    const url = this.#query({ returnCountOnly: 'true' });
    const answer = await this.#requests.getPatiently(url).catch((error: unknown) => {
      if (isRefused(error)) return null;
      throw error;
    });
    if (answer === null) return null;
    const range = answer.range('count');
    if (range === null && answer.range('features') !== null) return null;
    const count = range === null ? null : answer.integer(range.start);
    if (count === null || count < 0) throw answer.invalid('it has no number of features');
    return count;
  }

  /** All features in one query: for layers without object ids, and for the head of an empty file. */
  async wholePage(): Promise<Page> {
    const answer = await this.#requests.getPatiently(this.#query(this.#shape(null)), MAX_PAGE_BYTES);
    return readPage(answer, null, this.#host);
  }

  /** Pages with all ids of `list`, and no other. Throws SERVICE_INCOMPLETE and SERVICE_CHANGED. */
  async *pages(list: IdList): AsyncIterable<Page> {
    const { ids } = list;
    const window = new WindowSize(this.#layer.pageSize);
    const selection = this.#selection;
    let failures = 0;
    for (let start = 0; start < ids.length; ) {
      const wanted = ids.subarray(start, windowEnd(ids, start, selection.atMost(window.size)));
      const page = await this.#page(list, wanted, start).catch((error: unknown) => error as Error);
      if (page instanceof Error) {
        if (selection.fallsBack(page)) continue;
        const isTooLarge = isTooLargePage(page) && wanted.length > 1;
        if (!isTooLarge && !isTransient(page) && !isFailedQuery(page)) throw page;
        if (!isTooLarge) await this.#requests.waitAfter(++failures, page);
        if (!isBusy(page)) window.halve(wanted.length);
        continue;
      }
      failures = 0;
      if (page.count < wanted.length) {
        if (wanted.length === 1) throw await this.explain(ids.length, list, start);
        window.halve(wanted.length);
        continue;
      }
      yield page;
      selection.succeeded();
      start += wanted.length;
      window.succeeded();
    }
  }

  /** The error for `read` features that are not those of `list`: what changed, or that the server is at fault. */
  async explain(count: number, list: IdList | null, read: number, detail = ''): Promise<Error> {
    if (list === null) return this.incomplete(count, list, read, detail);
    const now = await this.#ids();
    const { missing, missingCount, added, addedCount } = differenceOf(list.ids, now.ids);
    if (missingCount + addedCount === 0)
      return this.incomplete(count, list, read, detail || 'not all features are returned when asked for');
    return failure(remoteInputErrors.SERVICE_CHANGED, {
      host: this.#host,
      layer: shortText(this.#layer.name, 100),
      before: list.ids.length,
      after: now.ids.length,
      changes: [changeText('deleted', missingCount, missing), changeText('added', addedCount, added)]
        .filter((text) => text !== '')
        .join(', '),
    });
  }

  incomplete(count: number | null, list: IdList | null, read: number, detail: string): Error {
    return failure(remoteInputErrors.SERVICE_INCOMPLETE, {
      host: this.#host,
      layer: shortText(this.#layer.name, 100),
      count: count ?? 'no',
      listed: list === null ? 'no' : list.ids.length,
      read,
      detail,
    });
  }

  get #host(): string {
    return hostOf(this.#url);
  }

  async #ids(): Promise<IdList> {
    const url = this.#query({ returnIdsOnly: 'true' });
    return readIds(await this.#requests.getPatiently(url, MAX_ID_BYTES), this.#host);
  }

  /** The page with these ids, the first of which is number `start`, or with fewer. Throws SERVICE_INCOMPLETE and SERVICE_CHANGED if it has others. */
  async #page(list: IdList, wanted: Float64Array, start: number): Promise<Page> {
    const idField = list.fieldName ?? this.#layer.idField ?? '';
    const [first, last] = [wanted[0], wanted[wanted.length - 1]];
    const where = this.#layerUrl.parameters.get('where')?.trim() ?? '';
    const url = this.#query({
      ...this.#shape(idField),
      ...this.#selection.parameters({ idField, where, wanted, start }),
    });
    const page = readPage(await this.#requests.get(url, MAX_PAGE_BYTES), idField, this.#host);
    const { added, addedCount } = differenceOf(wanted, page.ids!);
    if (addedCount === 0) return page;
    const [id] = added;
    const isOutside = id < first || id > last;
    const found = isOutside
      ? `asked for the object ids ${first} to ${last}, it returned ${id}`
      : `it returned object id ${id}, which it did not list, or listed less often`;
    throw await this.explain(list.ids.length, list, page.count, found);
  }

  /** Parameters of queries for features. The ids are always among the fields. */
  #shape(idField: string | null): Readonly<Record<string, string>> {
    const { hasZ, hasM, canOrder } = this.#layer;
    const given = this.#layerUrl.parameters.get('outFields')?.trim() ?? '';
    const names = given.split(',').map((name) => name.trim());
    const isWhole = given === '' || names.includes('*');
    const lacksId = idField !== null && !names.includes(idField);
    return {
      outFields: isWhole ? '*' : [...names, ...(lacksId ? [idField] : [])].join(','),
      returnGeometry: this.#layerUrl.parameters.get('returnGeometry') ?? 'true',
      ...(hasZ ? { returnZ: 'true' } : {}),
      ...(hasM ? { returnM: 'true' } : {}),
      ...(canOrder && idField !== null ? { orderByFields: idField } : {}),
    };
  }

  #query(own: Readonly<Record<string, string>>): URL {
    return queryUrl(this.#layerUrl, this.#layer.id, own);
  }
}

function isTooLargePage(error: unknown): boolean {
  return error instanceof GeomillError && error.code === 'LIMIT_EXCEEDED';
}

/** Whether the server does not answer such a request, also when it is asked again. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof GeomillError)) return false;
  const isStatus = error.code === 'SERVICE_ERROR' || error.code === 'URL_STATUS';
  return isStatus && [400, 404, 405, 500, 501].includes(Number(error.params.status));
}

/** The server wants fewer requests, not smaller ones. */
function isBusy(error: unknown): boolean {
  return error instanceof GeomillError && error.params.status === 429;
}

function changeText(what: string, count: number, ids: readonly number[]): string {
  if (count === 0) return '';
  const others = count > ids.length ? ' and others' : '';
  return `${count} ${what} (object ids ${ids.join(', ')}${others})`;
}
