/** Uploads that a request names as inputs: checked as soon as the config is known, and made inputs of the job at the end. */
import type { UploadReference } from '@geomill/requests/addresses.ts';
import type { InputUploads, ParsedConfig } from '@geomill/requests/parse-job-request.ts';
import type { JobService } from '../jobs/service.ts';
import type { ConfigInputs } from './job-form.ts';
import type { FileRole, ReceivedFiles } from './received-files.ts';

type Named = Pick<ParsedConfig, 'uploads' | 'steps'>;

interface RequestedUpload extends UploadReference {
  readonly role: FileRole;
  readonly stepInput: string | null;
}

export class RequestedUploads {
  /** The request repeats an earlier one, whose job has its files; the uploads may be deleted by now. */
  readonly isRepeat: boolean;
  readonly #service: JobService;
  readonly #owner: string;

  constructor(service: JobService, owner: string, isRepeat: boolean) {
    this.#service = service;
    this.#owner = owner;
    this.isRepeat = isRepeat;
  }

  /** Throws UPLOAD_REFERENCE_UNKNOWN, UPLOAD_EXPIRED, UPLOAD_INCOMPLETE, INPUT_EMPTY. */
  async check(named: Named): Promise<void> {
    if (this.isRepeat) return;
    for (const upload of requestedUploads(named)) await this.#service.uploads.usable(this.#owner, upload);
  }

  /** Adds the uploads to the files of the job `jobId`. Throws as `check`, and what ReceivedFiles.add throws. */
  async share(named: Named, jobId: string, files: ReceivedFiles): Promise<void> {
    if (this.isRepeat) return;
    for (const upload of requestedUploads(named)) {
      const { role, stepInput } = upload;
      const { name, byteLength } = await this.#service.uploads.usable(this.#owner, upload);
      await files.add({ name: name === '' ? null : name, role, stepInput }, (fileIndex) =>
        this.#service.receiveUpload(this.#owner, jobId, fileIndex, upload, byteLength),
      );
    }
  }
}

/** The upload of several steps is one input. */
function requestedUploads({ uploads: { single, list }, steps }: Named): RequestedUpload[] {
  const ofSteps = new Map<string, RequestedUpload>();
  for (const { file } of steps)
    if (file?.upload !== undefined && !ofSteps.has(file.input))
      ofSteps.set(file.input, { ...file.upload, role: 'step file', stepInput: file.input });
  return [
    ...(single === null ? [] : [{ ...single, role: 'single' as const, stepInput: null }]),
    ...list.map((one) => ({ ...one, role: 'list' as const, stepInput: null })),
    ...ofSteps.values(),
  ];
}

/** Number of converted files. */
export function countOf({ single, list }: InputUploads): number {
  return (single === null ? 0 : 1) + list.length;
}

export function configInputsOf({
  inputUrl,
  uploads: { single, list },
}: Pick<ParsedConfig, 'inputUrl' | 'uploads'>): ConfigInputs {
  return { singlePath: inputUrl?.path ?? single?.path ?? null, hasList: list.length > 0 };
}
