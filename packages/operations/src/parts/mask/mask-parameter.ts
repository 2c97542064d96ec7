/** The parameters that hold a mask, or say which file has it: their schemas and their form on the command line. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { JsonTextError, parseJsonText } from '@geomill/core/text/json-syntax.ts';
import type { CommandLineForm, FileParameter } from '../../transformation.ts';
import { fileForm, fileReader, fileSchemas } from '../source-file.ts';
import { MaskCollector } from './mask-collector.ts';
import { parseMask } from './mask-geojson.ts';

const MASK = { part: 'mask', noun: 'mask', has: 'polygons in any input format and CRS' } as const;

/** The properties of a schema. `parseMask` checks the GeoJSON, with better messages than a schema. */
export function maskSchemas(name: string, what: string): Readonly<Record<string, object>> {
  return {
    [name]: {
      type: 'object',
      description: `${what}: a GeoJSON Polygon or MultiPolygon, or a Feature or FeatureCollection of these, in EPSG:4326. Required, unless a file has the mask.`,
    },
    ...fileSchemas({ ...MASK, what }),
  };
}

/** The step's code gets a column of polygons. */
export function maskParameter(name: string): FileParameter {
  return {
    part: MASK.part,
    uses: 'polygons',
    value: {
      name,
      fromValue: parseMask,
      fromFile: (content, path) => parseMask(parseContent(content, path), path),
    },
    fileOf: fileReader(MASK.part),
    collector: (path) => new MaskCollector(path),
  };
}

/** `verb`: what happens to the parts inside. */
export function maskForm(flag: string, verb: string): CommandLineForm {
  return fileForm(flag, `${verb} the parts inside the polygons of a file, in any input format and CRS`, MASK);
}

function parseContent(content: Uint8Array, path: string): unknown {
  try {
    return parseJsonText(content);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    // Positions are those of the parameter: it was stored as a file of its own.
    const reason = `is not valid JSON at ${error.message}`;
    throw failure(generalErrors.TRANSFORMATION_INVALID, { path: field(path), reason }, undefined, error);
  }
}
