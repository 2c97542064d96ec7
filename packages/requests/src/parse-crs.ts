/** The CRSs that a config states for the files of an input. */
import { type CrsText, parseInputCrs } from '@geomill/core/crs/crs.ts';
import { failure, type GeomillError } from '@geomill/core/messages/errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import type { Format } from '@geomill/formats/format.ts';
import type { FilePlaces } from '@geomill/operations/requested-steps.ts';
import { pipelineErrors } from '@geomill/pipeline/errors.ts';
import type { InputFileRequest } from '@geomill/pipeline/request.ts';
import type { Endpoint } from './config-fields.ts';
import { type ConfigValues, invalid } from './config-values.ts';
import { requestErrors } from './messages.ts';

/** A format that needs a CRS in the request, and where the request has its files. */
interface CrsNeed {
  readonly format: Format;
  readonly places: FilePlaces;
}

type FilesOf = (fileCount: number) => readonly InputFileRequest[];

/** The CRS given for each file. Throws FIELD_REQUIRED if the format needs one and the config has none. */
export function parseFilesCrs(
  values: ConfigValues,
  { operation }: Endpoint,
  format: Format,
  isTellingOnly: boolean,
  places: FilePlaces,
): FilesOf {
  // A file without a CRS can be inspected, but not converted.
  const requiredBy = format.inputCrs === 'request' && !isTellingOnly ? { format, places } : null;
  switch (operation) {
    case 'transform':
    case 'inspect': {
      const { path, value } = values.take('overrideCrs');
      const file = parseFileCrs(values, requiredBy);
      if (value !== true) return () => [file];
      if (file.crs === null)
        throw invalid(path, `needs '${file.crsPath}', the CRS in which the file is read`);
      return () => [{ ...file, overridesCrs: true }];
    }
    case 'append': {
      const target = parseFileCrs(values, requiredBy);
      const others = parseCrsMapping(values, 'appendCrs', requiredBy);
      return (fileCount) => [target, ...others(fileCount - 1)];
    }
    case 'merge':
      return parseCrsMapping(values, 'mergeCrs', requiredBy);
  }
}

function parseFileCrs(values: ConfigValues, requiredBy: CrsNeed | null): InputFileRequest {
  const { path, value } = values.take('inputCrs');
  if (value === undefined && requiredBy !== null) throw crsRequired(path, requiredBy);
  return { crs: crsOrNull(value, path), crsPath: path };
}

/** For a format that stores no CRS. The specification has the whole text of the response; the command line adds what helps. */
function crsRequired(path: string, { format: { id, name }, places }: CrsNeed): GeomillError {
  const advice = places === 'paths' ? '; geomill info FILE lists systems that fit its coordinates' : '';
  return failure(pipelineErrors.FIELD_REQUIRED, { path: field(path), id, format: name, advice });
}

/** One CRS for all files, or a list with one entry per file. */
function parseCrsMapping(
  values: ConfigValues,
  key: 'appendCrs' | 'mergeCrs',
  requiredBy: CrsNeed | null,
): FilesOf {
  const { path, value } = values.take(key);
  if (value === undefined && requiredBy !== null) throw crsRequired(path, requiredBy);
  if (!Array.isArray(value)) {
    const crs = crsOrNull(value, path);
    return (fileCount) =>
      Array.from({ length: fileCount }, (_, i) => ({
        crs,
        crsPath: crs === null && fileCount > 1 ? `${path}[${i}]` : path,
      }));
  }
  const files = value.map((entry: unknown, i) => ({
    crs: crsOrNull(entry, `${path}[${i}]`),
    crsPath: `${path}[${i}]`,
  }));
  const missing = requiredBy === null ? undefined : files.find(({ crs }) => crs === null);
  if (missing !== undefined && requiredBy !== null) throw crsRequired(missing.crsPath, requiredBy);
  return (fileCount) => {
    if (fileCount !== files.length)
      throw failure(requestErrors.CRS_LIST_LENGTH, {
        path: field(path),
        listed: files.length,
        files: fileCount,
      });
    return files;
  };
}

function crsOrNull(value: unknown, path: string): CrsText | null {
  return value === undefined || value === null ? null : parseInputCrs(value, path);
}
