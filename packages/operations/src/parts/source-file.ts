/** The parameters that say which file is the second source of a step, and how to read it: their schemas and their form on the command line. */
import { parseCrs } from '@geomill/core/crs/crs.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type {
  CommandLineForm,
  CommandLineModifier,
  FileParameter,
  ParametersSchema,
  StepParameters,
} from '../transformation.ts';
import { MAX_NAME_LENGTH } from './name-lists.ts';

/** The part, and the beginning of the names of parameters, of sources that are not masks. */
export const SOURCE = 'source';

/** Ends the errors of sources that need geometries and are tables without. */
export const ADVICE_FOR_TABLES =
  'If it is a table with positions, name their columns in the options for reading it, such as x_column and y_column';

/** `what`: "Area to keep"; `has`: what the file holds, "polygons"; `noun`: of the source in sentences, "mask". */
export interface SourceWords {
  readonly part: string;
  readonly what: string;
  readonly has: string;
  readonly noun: string;
}

/** The properties of a schema. */
export function fileSchemas({ part, what, has, noun }: SourceWords): ParametersSchema['properties'] {
  return {
    [part]: {
      type: 'string',
      minLength: 1,
      maxLength: MAX_NAME_LENGTH,
      description: `${what}, as a file with ${has}: the name of the part of the form that has it, \`${part}\` or \`${part}_NAME\` (default \`${part}\`). Only in forms.`,
    },
    [`${part}_upload`]: {
      type: 'string',
      minLength: 1,
      maxLength: 100,
      description: `${what}, as an upload (POST /v1/uploads) with ${has}: its id. Only in requests to a service.`,
    },
    [`${part}_url`]: {
      type: 'string',
      minLength: 1,
      maxLength: 8192,
      examples: ['https://data.example.org/districts.gpkg'],
      description: `${what}, as the HTTP or HTTPS address of a file with ${has}, from which the service fetches it for each attempt. Only hosts allowed by the operator, and only in requests to a service.`,
    },
    [`${part}_format`]: {
      type: 'string',
      maxLength: 40,
      description: `Format of the ${noun}: the id of an input format, such as \`gpkg\`. Default: by the file's name, or by its content.`,
    },
    [`${part}_layer`]: {
      type: 'string',
      maxLength: MAX_NAME_LENGTH,
      description: `Layer of the ${noun}; required if the file has several.`,
    },
    [`${part}_crs`]: {
      type: ['string', 'integer'],
      maxLength: MAX_NAME_LENGTH,
      description: `CRS of the ${noun} if the file does not define one, as an EPSG code, WKT, PROJJSON or a PROJ string.`,
    },
    [`${part}_options`]: {
      type: 'object',
      maxProperties: 50,
      examples: [{ delimiter: ';', encoding: 'windows-1252' }],
      description: `Options for reading the ${noun}, as an input of its format has them.`,
    },
    [`${part}_filter`]: {
      type: ['string', 'object'],
      description: `Condition on the fields of the ${noun} that its features must meet, as \`where\` of filter.`,
    },
  };
}

/** Of parameters with these schemas. */
export function fileReader(part: string): FileParameter['fileOf'] {
  return (parameters, pathOf) => {
    const value = (name: string): unknown => parameters[`${part}_${name}`];
    const text = (name: string): string | null => (value(name) === undefined ? null : String(value(name)));
    const path = (name: string): string => pathOf(`${part}_${name}`);
    const crs = value('crs');
    return {
      format: text('format'),
      layer: text('layer'),
      crs: crs === undefined ? null : parseCrs(crs, path('crs')),
      where: (value('filter') as string | object | undefined) ?? null,
      options: (value('options') ?? {}) as Readonly<Record<string, unknown>>,
      paths: {
        file: pathOf(part),
        format: path('format'),
        layer: path('layer'),
        crs: path('crs'),
        where: path('filter'),
        options: path('options'),
      },
    };
  };
}

/** A second source whose features, of these kinds, and fields `fields` (missing: all) are used. */
export function featureParameter(kinds: 'any' | 'polygons'): FileParameter {
  return {
    part: SOURCE,
    uses: 'features',
    value: null,
    fileOf: fileReader(SOURCE),
    collector: async (path, { fields = null }) => {
      const { FeatureSourceCollector } = await import('./source/feature-source.ts');
      return new FeatureSourceCollector(path, fields as readonly string[] | null, kinds);
    },
    usesParameters: true,
  };
}

/** A flag with the file, and modifiers that say how to read it. */
export function fileForm(
  flag: string,
  description: string,
  { part, noun }: Pick<SourceWords, 'part' | 'noun'>,
): CommandLineForm & { readonly modifiers: readonly CommandLineModifier[] } {
  const modifier = (name: string, placeholder: string, detail: string): CommandLineModifier => ({
    flag: `${part}-${name}`,
    placeholder,
    description: detail,
    parameters: (value, before) => ({ ...before, [`${part}_${name}`]: value }),
  });
  return {
    flag,
    placeholder: 'FILE[:LAYER]',
    description,
    parameters: (value, isFile) => {
      refuseLayerOfUrl(flag, part, value);
      return fileOfText(part, value, isFile);
    },
    modifiers: [
      modifier('crs', 'CRS', `CRS of the ${noun}, if its file does not define one`),
      modifier('filter', 'WHERE', `features of the ${noun} to use: "name = 'A'"`),
      modifier('format', 'FORMAT', `format of the ${noun}; default by the file's name, or by its content`),
      modifier('layer', 'NAME', `layer of the ${noun}, as FILE:NAME`),
      {
        flag: `${part}-options`,
        placeholder: 'NAME=VALUE',
        description: `option for reading the ${noun}, as --in-NAME for an input; can be repeated`,
        parameters: (value, before) => withOption(part, value, before),
      },
    ],
  };
}

/** Throws USAGE for "https://example.org/muni.gpkg:districts": the colon can also belong to the URL. */
function refuseLayerOfUrl(flag: string, part: string, value: string): void {
  const layer = /^https?:\/\/[^/?#]+\/[^?#]*\.\w{2,10}:([^/?#]+)$/i.exec(value)?.[1];
  if (layer === undefined) return;
  throw failure(generalErrors.USAGE, {
    detail:
      `--${flag}: URL:LAYER is not split into URL and layer; write the layer as an option of its own, ` +
      `--${flag} URL --${part}-layer '${layer}' (or %3A for a colon of the URL itself)`,
  });
}

/** "muni.gpkg:districts" is the layer of a file, unless there is a file of this name. */
function fileOfText(
  part: string,
  value: string,
  isFile: (path: string) => boolean,
): Readonly<Record<string, string>> {
  const colon = value.lastIndexOf(':');
  const path = value.slice(0, colon);
  if (colon <= 0 || colon === value.length - 1 || isFile(value) || !isFile(path)) return { [part]: value };
  return { [part]: path, [`${part}_layer`]: value.slice(colon + 1) };
}

function withOption(part: string, value: string, before: StepParameters): StepParameters {
  const [, name, text] = /^([\w-]+)=(.*)$/s.exec(value) ?? [];
  if (name === undefined)
    throw failure(generalErrors.USAGE, {
      detail: `--${part}-options wants NAME=VALUE, such as delimiter=';', not '${value}'`,
    });
  const known = Object(before[`${part}_options`]);
  return { ...before, [`${part}_options`]: { ...known, [name.replaceAll('-', '_')]: text } };
}
