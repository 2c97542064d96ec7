/** The inputs of a command, which can be several runs, as files that can be read at any place. */
import { join } from 'node:path';
import type { Finding } from '@geomill/core/messages/findings.ts';
import type { Format } from '@geomill/formats/format.ts';
import { boundedReport } from '@geomill/pipeline/bounded-report.ts';
import type { JobReport } from '@geomill/pipeline/report.ts';
import { catalogue } from '@geomill/service/catalogue.ts';
import { type InputFile, stageInput } from './files.ts';
import type { FetchContext, RemoteFiles } from './remote-files.ts';
import { isUrl } from './urls.ts';

export class StagedInputs {
  readonly #directory: string;
  readonly #context: FetchContext;
  #count = 0;
  #remote: RemoteFiles | null = null;

  /** `directory`: gets copies of what cannot be read in place: standard input, pipes, URLs. */
  constructor(directory: string, context: FetchContext) {
    this.#directory = directory;
    this.#context = context;
  }

  /** The input named `name`, a path, '-' or URL, which can have any of `formats`. Throws what `stageInput` and fetching throw. */
  async file(name: string, formats: readonly Format[], signal: AbortSignal): Promise<InputFile> {
    if (!isUrl(name)) return stageInput(name, join(this.#directory, `input${++this.#count}`), signal);
    // Loaded only for URLs.
    const { RemoteFiles } = await import('./remote-files.ts');
    this.#remote ??= new RemoteFiles(this.#directory, this.#context);
    return this.#remote.fetch(name, formats, signal);
  }

  /** What a report says about what was fetched for it. */
  get findings(): readonly Finding[] {
    return this.#remote?.findings ?? [];
  }

  /** The bounded report of a run on these inputs, with what was fetched since the report before. `first`: name of the first input; null: the output of another run. */
  async completed(report: JobReport, first: string | null): Promise<JobReport> {
    if (this.#remote === null) return boundedReport(report);
    const { completedReport } = await import('@geomill/pipeline/completed-report.ts');
    const { findings, reports } = this.#remote.taken(first !== null && isUrl(first));
    return completedReport(report, findings, reports, catalogue);
  }
}
