/** The parameters that hold a mask, or say which file has it: their schemas and their form on the command line. */
import { JsonTextError, parseJsonText } from '../../../bytes/json-syntax.ts';
import { parseCrs } from '../../../crs/crs.ts';
import { failure } from '../../../errors.ts';
import { field } from '../../../message.ts';
import type {
  CommandLineForm,
  CommandLineModifier,
  FileParameter,
  StepParameters,
} from '../../transformation.ts';
import { MAX_NAME_LENGTH } from '../name-lists.ts';
import { MaskCollector } from './mask-collector.ts';
import { parseMask } from './mask-geojson.ts';

const PART = 'mask';

/** The properties of a schema. `parseMask` checks the GeoJSON, with better messages than a schema. */
export function maskSchemas(name: string, what: string): Readonly<Record<string, object>> {
  return {
    [name]: {
      type: 'object',
      description: `${what}: a GeoJSON Polygon or MultiPolygon, or a Feature or FeatureCollection of these, in EPSG:4326. Required, unless a file has the mask.`,
    },
    mask: {
      type: 'string',
      minLength: 1,
      maxLength: MAX_NAME_LENGTH,
      description: `${what}, as a file with polygons in any input format and CRS: the name of the part of the form that has it, \`${PART}\` or \`${PART}_NAME\` (default \`${PART}\`). Only in forms.`,
    },
    mask_upload: {
      type: 'string',
      minLength: 1,
      maxLength: 100,
      description: `${what}, as an upload (POST /v1/uploads) with polygons in any input format and CRS: its id. Only in requests to a service.`,
    },
    mask_format: {
      type: 'string',
      maxLength: 40,
      description:
        "Format of the mask: the id of an input format, such as `gpkg`. Default: by the file's name, or by its content.",
    },
    mask_layer: {
      type: 'string',
      maxLength: MAX_NAME_LENGTH,
      description: 'Layer of the mask; required if the file has several.',
    },
    mask_crs: {
      type: ['string', 'integer'],
      maxLength: MAX_NAME_LENGTH,
      description:
        'CRS of the mask if the file does not define one, as an EPSG code, WKT, PROJJSON or a PROJ string.',
    },
    mask_options: {
      type: 'object',
      maxProperties: 50,
      examples: [{ delimiter: ';', encoding: 'windows-1252' }],
      description: 'Options for reading the mask, as an input of its format has them.',
    },
    mask_filter: {
      type: ['string', 'object'],
      description: 'Condition on the fields of the mask that its features must meet, as `where` of filter.',
    },
  };
}

/** The step's code gets a column of polygons. */
export function maskParameter(name: string): FileParameter {
  return {
    name,
    part: PART,
    fromValue: parseMask,
    fromFile: (content, path) => parseMask(parseContent(content, path), path),
    fileOf(parameters, pathOf) {
      const { mask_format: format, mask_layer: layer, mask_crs: crs, mask_filter: where } = parameters;
      const { mask_options: options = {} } = parameters;
      return {
        format: format === undefined ? null : String(format),
        layer: layer === undefined ? null : String(layer),
        crs: crs === undefined ? null : parseCrs(crs, pathOf('mask_crs')),
        where: where === undefined ? null : (where as string | object),
        options: options as Readonly<Record<string, unknown>>,
        paths: {
          file: pathOf('mask'),
          format: pathOf('mask_format'),
          layer: pathOf('mask_layer'),
          crs: pathOf('mask_crs'),
          where: pathOf('mask_filter'),
          options: pathOf('mask_options'),
        },
      };
    },
    collector: (path) => new MaskCollector(path),
  };
}

/** `verb`: what happens to the parts inside. */
export function maskForm(flag: string, verb: string): CommandLineForm {
  return {
    flag,
    placeholder: 'FILE[:LAYER]',
    description: `${verb} the parts inside the polygons of a file, in any input format and CRS`,
    parameters: maskFile,
    modifiers: [
      modifier('mask-crs', 'CRS', 'CRS of the mask, if its file does not define one'),
      modifier('mask-filter', 'WHERE', 'features of the mask to use: "name = \'A\'"'),
      modifier('mask-format', 'FORMAT', "format of the mask; default by the file's name, or by its content"),
      modifier('mask-layer', 'NAME', 'layer of the mask, as FILE:NAME'),
      {
        flag: 'mask-options',
        placeholder: 'NAME=VALUE',
        description: 'option for reading the mask, as --in-NAME for an input; can be repeated',
        parameters: withOption,
      },
    ],
  };
}

/** "muni.gpkg:districts" is the layer of a file, unless there is a file of this name. */
function maskFile(value: string, isFile: (path: string) => boolean): Readonly<Record<string, string>> {
  const colon = value.lastIndexOf(':');
  const path = value.slice(0, colon);
  if (colon <= 0 || colon === value.length - 1 || isFile(value) || !isFile(path)) return { mask: value };
  return { mask: path, mask_layer: value.slice(colon + 1) };
}

function withOption(value: string, before: StepParameters): StepParameters {
  const [, name, text] = /^([\w-]+)=(.*)$/s.exec(value) ?? [];
  if (name === undefined)
    throw failure('USAGE', {
      detail: `--mask-options wants NAME=VALUE, such as delimiter=';', not '${value}'`,
    });
  return { ...before, mask_options: { ...Object(before.mask_options), [name.replaceAll('-', '_')]: text } };
}

function modifier(flag: string, placeholder: string, description: string): CommandLineModifier {
  return {
    flag,
    placeholder,
    description,
    parameters: (value, before) => ({ ...before, [flag.replaceAll('-', '_')]: value }),
  };
}

function parseContent(content: Uint8Array, path: string): unknown {
  try {
    return parseJsonText(content);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    // Positions are those of the parameter: it was stored as a file of its own.
    const reason = `is not valid JSON at ${error.message}`;
    throw failure('TRANSFORMATION_INVALID', { path: field(path), reason }, undefined, error);
  }
}
