/** reproject: transforms the features to another CRS. */
import { parseCrs, parseEpsg } from '@geomill/core/crs/crs.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, phrase } from '@geomill/core/messages/message.ts';
import { MAX_EPSG_LENGTH, MAX_NAME_LENGTH } from '../parts/name-lists.ts';
import type { StepParameters, Transformation } from '../transformation.ts';

export const reproject: Transformation = {
  id: 'reproject',
  title: 'Reproject',
  group: 'coordinates',
  summary: 'Change the coordinate reference system for the following steps.',
  needsOneOf: ['epsg', 'crs'],
  description: `The following steps work in another coordinate reference system: distances have its unit, and straight edges are
straight in it. \`epsg\` or \`crs\` is required. The output is still written in \`output.epsg\`. If there is no step between two reprojections, the data is
transformed directly to the last CRS. Attributes, ids and order do not change. Features that cross the end of a map or hold a pole are cut and closed, and
long edges get positions: see [Coordinate reference systems](crs.md#the-antimeridian-poles-and-long-edges).`,
  parameters: {
    type: 'object',
    properties: {
      epsg: {
        title: 'EPSG code',
        type: ['integer', 'string'],
        maxLength: MAX_EPSG_LENGTH,
        description: 'EPSG code of the CRS: 28350, "28350" or "EPSG:28350". Either this or `crs`.',
        examples: [28350],
      },
      crs: {
        title: 'CRS',
        type: 'string',
        minLength: 1,
        maxLength: MAX_NAME_LENGTH,
        description: 'The CRS as an EPSG code, WKT, PROJJSON or a PROJ string.',
      },
    },
    additionalProperties: false,
  },
  guarantees: [
    'A position that cannot be transformed fails the job with a message that names it. No position is dropped or kept untransformed.',
    'The report names the operation, its accuracy, and the grids that were used or missing.',
  ],
  longitudes: 'as written',
  usesGeometries: 'never',
  commandLine: {
    flag: 'reproject',
    placeholder: 'CRS',
    description: 'reproject here (EPSG:28350, WKT, ...); later steps work in this CRS',
    parameters: (value) => ({ crs: value }),
  },
  check(parameters, path) {
    const { epsg, crs } = parameters;
    if (epsg === undefined && crs === undefined) {
      throw failure(generalErrors.TRANSFORMATION_INVALID, {
        path: field(`${path}.epsg`),
        reason: 'is required for reproject: the CRS that the next steps work in',
      });
    }
    if (epsg !== undefined) parseEpsg(epsg, `${path}.epsg`);
    if (crs !== undefined) parseCrs(crs, `${path}.crs`);
    if (epsg !== undefined && crs !== undefined && targetCrs({ epsg }) !== targetCrs({ crs })) {
      throw failure(generalErrors.TRANSFORMATION_INVALID, {
        path: field(`${path}.crs`),
        reason: phrase`contradicts '${field(`${path}.epsg`)}'; state the CRS once`,
      });
    }
  },
  load: async () => ({ kind: 'reprojecting', targetCrs }),
};

function targetCrs({ epsg, crs }: StepParameters): string {
  return epsg === undefined ? parseCrs(crs, 'crs') : parseEpsg(epsg, 'epsg');
}
