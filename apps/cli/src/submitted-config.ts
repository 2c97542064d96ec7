/** The request of a command line as the config and the files of a job at a service. */
import { hasFixedCrs } from '@geomill/formats/format.ts';
import { outputFormatById } from '@geomill/formats/format-by-id.ts';
import { transformations } from '@geomill/operations/registry.ts';
import { configOfRequest } from '@geomill/pipeline/report-document.ts';
import type { ConversionRequest } from '@geomill/pipeline/request.ts';
import { isUrl } from './urls.ts';

/** The parts of the request besides the input. */
export interface SubmittedConfig {
  readonly config: Readonly<Record<string, unknown>>;
  /** Paths of the files of steps, by the names of the parts of the form. */
  readonly stepFiles: Readonly<Record<string, string>>;
}

/** `url`: the address of the input; null: it is a file. */
export function configOfSubmission(request: ConversionRequest, url: string | null): SubmittedConfig {
  const config = configOfRequest(request) as Record<string, unknown> | null;
  if (config === null) throw new Error('a submission has files of several formats');
  const stepFiles: Record<string, string> = {};
  const steps = request.transformations.map(({ type, params, file }, i) => {
    const part = transformations.find(({ id }) => id === type)?.fileParameter?.part;
    if (part === undefined || file?.features === undefined) return { type, params };
    const { [part]: _, ...others } = params;
    if (isUrl(file.input)) return { type, params: { ...others, [`${part}_url`]: file.input } };
    // A part of a form belongs to one step.
    const name = `${part}_${i + 1}`;
    stepFiles[name] = file.input;
    return { type, params: { ...others, [part]: name } };
  });
  const input = config.input as object;
  const output = { ...(config.output as Record<string, unknown>) };
  // Said aloud, the default would be reported as ignored for formats that have one CRS.
  if (
    request.output.crsPath === undefined &&
    hasFixedCrs(outputFormatById(request.output.format, 'output.format'), request.output.options)
  )
    delete output.epsg;
  return {
    config: { ...config, input: url === null ? input : { ...input, url }, transformations: steps, output },
    stepFiles,
  };
}
