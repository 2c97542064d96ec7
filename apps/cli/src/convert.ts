/** `geomill convert IN OUT`: the pipeline without a service. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { counted } from '@geomill/core/messages/message.ts';
import { type Flags, type Parsed, parseCommand } from './arguments.ts';
import { type CommandContext, runCommand } from './conversion.ts';
import { conversionFlags, conversionUsage } from './conversion-flags.ts';
import { type Conversion, crsOf } from './conversion-request.ts';
import type { SplitDirectory } from './split.ts';

export const usage = (): string => `geomill convert IN OUT [options]
geomill convert FILE... --out-dir DIR --to FORMAT [options]

  IN, OUT, FILE         files; the extension states the format; '-' is standard input or output; IN and FILE can be URLs,
                        also of layers of ArcGIS servers
  --from FORMAT         format of IN          --to FORMAT           format of OUT
  --from-crs CRS        CRS of IN, if the file does not define one (EPSG:28350)
  --override-crs        use --from-crs although the file defines another CRS
  --to-crs CRS          CRS of OUT (default: that of IN; a format with a fixed CRS, such as KML, keeps that one)
  --out-dir DIR         convert each FILE to a file of the same name in DIR, which is created; patterns such as
                        'data/*.shp' are expanded. A FILE that fails does not stop the others
  --layer NAME          read only this layer; can be repeated
  --layer-name NAME     name of the layer in OUT, if there is only one
  --split-by FIELD      a layer of OUT for each value of FIELD, if the format of OUT has layers, or a file: in DIR,
                        or in OUT if that is a .zip; FIELD can be an expression: "year(built)"
  --update              add the layers to OUT, an existing GeoPackage, which keeps everything else that is in it;
                        with --overwrite they replace layers of the same names
${conversionUsage('converted')}

Examples:
  geomill convert roads.shp roads.gpkg
  geomill convert survey.csv survey.geojson --from-crs EPSG:25832
  geomill convert city.gpkg plan.dxf --layer parcels --to-crs EPSG:25832
  geomill convert roads.gpkg near.gpkg --filter "kind = 'main'" --buffer 25m --union
  geomill convert shops.csv city.gpkg --update --layer-name shops
  geomill convert a.shp b.gpkg c.csv --out-dir converted --to geojson
  geomill convert parcels.gpkg by-district.gpkg --split-by district
  geomill convert parcels.gpkg --out-dir districts --to geojson --split-by district`;

export const flags = (): Flags => ({
  'from-crs': { type: 'string' },
  'override-crs': { type: 'boolean' },
  'layer-name': { type: 'string' },
  'out-dir': { type: 'string' },
  'split-by': { type: 'string' },
  update: { type: 'boolean' },
  ...conversionFlags(),
});

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const { values, positionals } = parsed;
  const conversionOf = (input: string, output: string, directory?: SplitDirectory): Conversion => ({
    ...conversionOfFlags(input, output, parsed),
    ...(directory === undefined ? {} : { directory }),
  });
  if (values['out-dir'] !== undefined) {
    if (positionals.length === 0)
      throw failure(generalErrors.USAGE, {
        detail: 'convert --out-dir takes FILEs, got none; see geomill convert --help',
      });
    if (values.update === true)
      throw failure(generalErrors.USAGE, {
        detail: '--update adds to one OUT; it does not go with --out-dir',
      });
    const { runBatch } = await import('./batch.ts');
    return runBatch(positionals, conversionOf, parsed, context);
  }
  if (positionals.length !== 2)
    throw failure(generalErrors.USAGE, {
      detail: `convert takes IN and OUT, got ${namesGot(positionals)}; see geomill convert --help`,
    });
  const [input, output] = positionals;
  return runCommand(conversionOf(input, output), parsed, context);
}

/** Throws USAGE. */
export function conversionOfFlags(input: string, output: string, { values }: Parsed): Conversion {
  if (values['override-crs'] === true && values['from-crs'] === undefined)
    throw failure(generalErrors.USAGE, {
      detail: '--override-crs needs --from-crs, the CRS in which the file is read',
    });
  const file = {
    crs: crsOf(values['from-crs'], 'from-crs'),
    crsPath: 'input.epsg',
    ...(values['override-crs'] === true ? { overridesCrs: true as const } : {}),
  };
  return { operation: 'transform', inputs: [input], files: [file], output, unnamed: 'geomill' };
}

const SHOWN_NAMES = 6;

/** The names that are not IN and OUT, and why there may be too many. */
function namesGot(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const shown = names.slice(0, SHOWN_NAMES).map((name) => `'${name}'`);
  const rest = names.length > SHOWN_NAMES ? ', ...' : '';
  const got = `${counted(names.length, 'name')}: ${shown.join(', ')}${rest}`;
  if (names.length === 1) return got;
  return `${got}; to convert several files, add --out-dir DIR and --to FORMAT; write a value with spaces in quotes, and a list with commas and without spaces`;
}
