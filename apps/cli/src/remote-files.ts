/** Input files of a command that are URLs: fetched into its temporary directory, as the service does it. */

import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { failure, reviveError } from '@geomill/core/messages/errors.ts';
import type { Finding } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import type { Format } from '@geomill/formats/format.ts';
import { plainFileName } from '@geomill/library/output-name.ts';
import { urlErrors } from '@geomill/library/url-messages.ts';
import type { FetchReports } from '@geomill/pipeline/completed-report.ts';
import type { FetchReport } from '@geomill/pipeline/report.ts';
import { packageVersion } from '@geomill/platform/package-version.ts';
import { catalogue } from '@geomill/service/catalogue.ts';
import { findingsOfFetch } from '@geomill/service/jobs/fetch-input.ts';
import { isLayerUrl, parseLayerUrl } from '@geomill/service/remote-input/arcgis/layer-url.ts';
import { checkInputUrl } from '@geomill/service/remote-input/check-url.ts';
import { HEADERS_TIMEOUT_MS, STALL_TIMEOUT_MS } from '@geomill/service/remote-input/fetch-messages.ts';
import { runFetcher } from '@geomill/service/remote-input/fetch-process.ts';
import { policyOfUser } from '@geomill/service/remote-input/policy.ts';
import type { Config } from '@geomill/service/settings/config.ts';
import type { InputFile } from './files.ts';
import { fileNameOf, shownInput } from './urls.ts';

export type FetchContext = Pick<Config, 'maxUploadBytes' | 'inputUrlTimeoutSeconds'>;

export class RemoteFiles {
  /** Of the files that were fetched since the last report. */
  findings: readonly Finding[] = [];
  #fetched: readonly FetchReport[] = [];
  readonly #directory: string;
  readonly #context: FetchContext;
  #bytesLeft: number;

  /** `directory`: gets the files, each in a directory of its own. All files together have at most `maxUploadBytes`. */
  constructor(directory: string, context: FetchContext) {
    this.#directory = directory;
    this.#context = context;
    this.#bytesLeft = context.maxUploadBytes;
  }

  /**
   * Fetches the file, which can have any of `formats`. The host may have any address but those of metadata services; it may
   * redirect to public hosts only. Throws URL_INVALID and what fetching throws, CANCELLED if `signal` ended it.
   */
  async fetch(text: string, formats: readonly Format[], signal: AbortSignal): Promise<InputFile> {
    const urlPath = shownInput(text);
    const parsed = URL.parse(text);
    if (parsed === null)
      throw failure(urlErrors.URL_INVALID, {
        path: field(urlPath),
        reason: 'it is not a complete URL',
      });
    const policy = policyOfUser(parsed);
    const url = checkInputUrl(text, policy, urlPath);
    const isLayer = isLayerUrl(url) && formats.some(({ layerService }) => layerService === 'arcgis');
    if (isLayer) parseLayerUrl(url, urlPath);
    const path = join(mkdtempSync(join(this.#directory, 'fetched-')), 'file');
    const limits = {
      maxBytes: this.#bytesLeft,
      totalMs: this.#context.inputUrlTimeoutSeconds * 1000,
      headersMs: HEADERS_TIMEOUT_MS,
      stallMs: STALL_TIMEOUT_MS,
    };
    const userAgent = `geomill/${packageVersion()}`;
    const task = { url: url.href, urlPath, path, policy, limits, userAgent };
    const outcome = await runFetcher(isLayer ? { ...task, service: 'arcgis' } : task, signal);
    if (outcome.kind === 'died') {
      if (signal.aborted) throw failure(generalErrors.CANCELLED, {});
      throw new Error(`the process that fetches '${urlPath}' ended with ${outcome.detail}: ${outcome.log}`);
    }
    if (outcome.kind === 'failed') throw reviveError(outcome.error, catalogue);
    const { host, byteLength, name } = outcome.file;
    this.#bytesLeft -= byteLength;
    this.#fetched = [...this.#fetched, { host, byteLength }];
    this.findings = [...this.findings, ...findingsOfFetch(outcome.file).list()];
    return { path, name: plainFileName(name ?? '', fileNameOf(text)) };
  }

  /** The files that were fetched since the last call. `isFirst`: whether the first file is the first input of the command. */
  taken(isFirst: boolean): { readonly findings: readonly Finding[]; readonly reports: FetchReports } {
    const { findings } = this;
    const fetched = this.#fetched;
    this.findings = [];
    this.#fetched = [];
    const [first = null, ...others] = fetched;
    const reports = isFirst
      ? { fetched: first, fetchedSources: others }
      : { fetched: null, fetchedSources: fetched };
    return { findings, reports };
  }
}
