/** The engine on the service that sent this page: files are uploaded, and jobs run there. */
import type { GeomillClient, JobHandle, UploadedFile } from '@geomill/client/client.ts';
import { client } from '../service.ts';
import { findingsUrl, outputUrl } from '../session.ts';
import type { Engine, EngineFile, EngineJob, EngineRequest, SubmitOptions } from './engine.ts';

export const serviceEngine: Engine = {
  id: 'service',
  receive: (name, content, { resume, ...options }) =>
    client.upload({ name, data: content }, { ...options, ...(resume === null ? {} : { resume }) }),
  forget: async (id) => (await client.uploaded(id)).delete(),
  stepFile: (part, { id }) => ({ [`${part}_upload`]: id }),
  inspect: ({ config, file }, options) =>
    client.inspect(
      { ...(file === null ? {} : { input: file as UploadedFile }), config: config as never },
      { ...options, idempotencyKey: null },
    ),
  submit: async (request, options) => jobOf(await submit(request, options)),
  findCrs: (query, options) => client.crs(query, options),
  suggestCrs: (question, options) => client.suggestCrs(question, options),
};

function submit(request: EngineRequest, options: SubmitOptions): Promise<JobHandle> {
  const { operation, config: members } = request;
  const config = members as never;
  const [first, ...others] = request.files as readonly EngineFile[] as readonly UploadedFile[];
  const format = request.format as Parameters<GeomillClient['submitAppend']>[0];
  if (operation === 'append')
    return client.submitAppend(format, { target: first, files: others, config }, options);
  if (operation === 'merge')
    return client.submitMerge(format, { files: [first, ...others], config }, options);
  return client.submit({ ...(first === undefined ? {} : { input: first }), config }, options);
}

function jobOf(handle: JobHandle): EngineJob {
  const { id } = handle;
  return {
    id,
    links: { output: outputUrl(id), findings: findingsUrl(id), areShareable: true },
    wait: (options) => handle.wait(options),
    cancel: () => handle.cancel(),
    delete: () => handle.delete(),
    download: (options) => handle.download(options),
    findings: (options) => handle.findings(options),
    // The service keeps it until it expires.
    release: () => {},
  };
}
