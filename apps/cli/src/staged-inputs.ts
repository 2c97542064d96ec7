/** The inputs of a command, which can be several runs, as files that can be read at any place. */
import { join } from 'node:path';
import type { Finding } from '@geomill/core/messages/findings.ts';
import type { Format } from '@geomill/formats/format.ts';
import type { FileJob } from '@geomill/library/run.ts';
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

  /** What a report says about what was fetched, and how; null: nothing was. `isFirst`: whether the first file is the first input. */
  additions(isFirst: boolean): NonNullable<FileJob['additions']> | null {
    if (this.#remote === null) return null;
    const { findings, reports } = this.#remote.taken(isFirst);
    return { findings, fetched: reports };
  }
}
