/** EPSG codes in a request that no system has are refused when it arrives, and not when its job runs. */
import { epsgCode } from '@geomill/core/crs/crs.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import type { CrsSearch } from '@geomill/crs-search/crs-search.ts';
import type { RequestedStep } from '@geomill/operations/requested-steps.ts';
import type { JobRequest } from '@geomill/pipeline/request.ts';

interface StatedCrs {
  readonly crs: unknown;
  readonly path: string;
}

/** Throws CRS_UNKNOWN. */
export function refuseUnknownCodes(request: JobRequest, search: CrsSearch): void {
  const { input, output, transformations } = request;
  const stated: readonly StatedCrs[] = [
    ...input.files.map(({ crs, crsPath: path }) => ({ crs, path })),
    ...(output === null ? [] : [{ crs: output.crs, path: output.crsPath ?? 'output.epsg' }]),
    ...transformations.flatMap(crsOfStep),
  ];
  for (const { crs, path } of stated) {
    const code = codeOf(crs);
    if (code === null || search.hasCode(code)) continue;
    throw failure(generalErrors.CRS_UNKNOWN, {
      path: field(path),
      definition: `EPSG:${code}`,
      reason: 'EPSG has no system with this code; search with /v1/crs?q=',
    });
  }
}

/** Of the file of a step, and the one that a step works in. */
function crsOfStep({ params, path = 'transformations', file }: RequestedStep): StatedCrs[] {
  const own = ['epsg', 'crs'].map((name) => ({ crs: params[name], path: `${path}.${name}` }));
  const { features } = file ?? {};
  return features === undefined ? own : [...own, { crs: features.crs, path: features.paths.crs }];
}

/** Null: no EPSG code. */
function codeOf(crs: unknown): number | null {
  if (typeof crs === 'number') return crs;
  if (typeof crs !== 'string') return null;
  const text = crs.trim();
  return epsgCode(/^\d+$/.test(text) ? `EPSG:${text}` : text);
}
