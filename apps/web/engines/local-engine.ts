/** The engine in this tab: the library of geomill in workers. Files are not sent anywhere. */
import type {
  CrsHit,
  CrsSuggestions,
  FindingCollection,
  Inspection,
  Job,
  Progress,
} from '@geomill/client/client.ts';
import type { FileRequest, RequestAnswer } from '@geomill/library/file-requests.ts';
import {
  type EndedJob,
  type Engine,
  type EngineFile,
  type EngineJob,
  type EngineRequest,
  NO_URLS,
} from './engine.ts';
import { LocalFailure } from './failures.ts';
import { callWorker } from './local-workers.ts';

/** The end of the range of dates. */
const NEVER = new Date(8.64e15);

/** Files that were handed over, by their ids. */
const files = new Map<string, { readonly name: string; readonly content: Blob }>();
let lastId = 0;

export const localEngine: Engine = {
  id: 'local',
  async receive(name, content, { onProgress }): Promise<EngineFile> {
    const id = `file-${++lastId}`;
    files.set(id, { name, content });
    onProgress({ id, sentBytes: content.size });
    const forget = async () => void files.delete(id);
    return { id, byteLength: content.size, expiresAt: NEVER, delete: forget };
  },
  forget: async (id) => void files.delete(id),
  stepFile: (part, { id }) => ({ [part]: id }),
  async inspect({ config, file }, { signal }): Promise<Inspection> {
    if (file === null) throw new Error(NO_URLS);
    const request = requestOf('inspect', config, [file]);
    const answer = await answerTo(request, signal, () => {});
    return ('inspection' in answer ? answer.inspection : {}) as Inspection;
  },
  async submit(request, { signal }): Promise<EngineJob> {
    signal?.throwIfAborted();
    if (request.files.length === 0) throw new Error(NO_URLS);
    return new LocalJob(request);
  },
  findCrs: (query, { signal, ...options }) =>
    callWorker<readonly CrsHit[]>('crs', [query, options], signal ?? new AbortController().signal),
  suggestCrs: (question, { signal }) => callWorker<CrsSuggestions>('suggest', [question], signal),
};

function requestOf(
  operation: FileRequest['operation'],
  config: Readonly<Record<string, unknown>>,
  inputs: readonly EngineFile[],
): FileRequest {
  return {
    operation,
    config,
    files: inputs.map(({ id }) => fileOf(id)),
    stepFiles: Object.fromEntries(stepFileIds(config).map((id) => [id, fileOf(id)])),
  };
}

function fileOf(id: string): { readonly name: string; readonly content: Blob } {
  const file = files.get(id);
  if (file === undefined) throw new Error('A file is not in this page any more. Add it again.');
  return file;
}

/** Of the files that steps of a config refer to, as `stepFile` does. */
function stepFileIds({ transformations }: Readonly<Record<string, unknown>>): readonly string[] {
  const steps = (transformations ?? []) as readonly { readonly params?: object }[];
  const values = steps.flatMap(({ params = {} }) => Object.values(params));
  return [...new Set(values.filter((value): value is string => files.has(value)))];
}

async function answerTo(
  request: FileRequest,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<Exclude<RequestAnswer, { readonly error: unknown }>> {
  const answer = await callWorker<RequestAnswer>('request', [request, {}], signal, onProgress);
  if (!('error' in answer)) return answer;
  const { code, message, place, suggestions = [], fixes = [] } = answer.error as NonNullable<Job['error']>;
  throw new LocalFailure(message, { code, place, suggestions, fixes, isAboutRequest: code !== 'INTERNAL' });
}

type Converted = Extract<RequestAnswer, { readonly output: unknown }>;

class LocalJob implements EngineJob {
  readonly id = `local-${++lastId}`;
  readonly #request: EngineRequest;
  readonly #abort = new AbortController();
  readonly #converted: Promise<Converted>;
  readonly #urls: string[] = [];
  #links = { output: '', findings: '', areShareable: false };
  #progress: Progress = { fraction: 0, stage: 'waiting' };
  #onProgress: (progress: Progress) => void = () => {};

  constructor(request: EngineRequest) {
    this.#request = request;
    this.#converted = this.#run();
    // Nobody may wait for it.
    this.#converted.catch(() => {});
  }

  get links(): EngineJob['links'] {
    return this.#links;
  }

  async wait({ signal, onProgress = () => {} }: Parameters<EngineJob['wait']>[0]): Promise<EndedJob> {
    onProgress(this.#progress);
    this.#onProgress = onProgress;
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => aborted.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      signal.throwIfAborted();
      return this.#ended(await Promise.race([this.#converted, aborted.promise]));
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async cancel(): Promise<void> {
    this.#abort.abort();
    await this.#converted.catch(() => {});
  }

  async delete(): Promise<void> {
    this.#abort.abort();
    this.release();
  }

  async download(): ReturnType<EngineJob['download']> {
    const { content } = (await this.#converted).output;
    return {
      blob: async () => content,
      json: async () => JSON.parse(await content.text()),
      stream: () => content.stream(),
    };
  }

  async findings(): Promise<FindingCollection> {
    return JSON.parse(await (await this.#converted).findings.text()) as FindingCollection;
  }

  release(): void {
    for (const url of this.#urls.splice(0)) URL.revokeObjectURL(url);
  }

  async #run(): Promise<Converted> {
    const { operation, config, files: inputs } = this.#request;
    const request = requestOf(operation, config, inputs);
    const answer = await answerTo(request, this.#abort.signal, (progress) => {
      this.#progress = progress;
      this.#onProgress(progress);
    });
    if (!('output' in answer)) throw new Error('The conversion gave no output.');
    return answer;
  }

  #ended({ report: document, output, findings }: Converted): EndedJob {
    const report = document as NonNullable<EndedJob['report']>;
    if (this.#urls.length === 0) {
      this.#urls.push(URL.createObjectURL(output.content), URL.createObjectURL(findings));
      const [outputUrl, findingsUrl] = this.#urls;
      this.#links = { output: outputUrl, findings: findingsUrl, areShareable: false };
    }
    const { name, mediaType, content } = output;
    return {
      job_id: this.id,
      output: {
        format: report.output.format,
        crs: report.output.crs,
        name,
        bytes: content.size,
        media_type: mediaType,
      } as EndedJob['output'],
      report,
      warnings: report.warnings,
      expires_at: null,
    };
  }
}
