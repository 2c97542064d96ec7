/** `geomill merge FILE FILE... --out OUT`: all files as one layer. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { MergeRequest } from '@geomill/pipeline/request.ts';
import { type Flags, type Parsed, parseCommand } from './arguments.ts';
import { crsForEach, fileRequests, outputOf } from './combine.ts';
import { type CommandContext, runCommand } from './conversion.ts';
import { conversionFlags, conversionUsage } from './conversion-flags.ts';

export const usage = (): string => `geomill merge FILE FILE... --out OUT [options]

  FILE, OUT             files; the extension states the format; '-' is standard input or output.
                        OUT has one layer with all features of the FILEs, which can have several formats
  --out OUT             output file
  --attributes MODE     fields of OUT: union (of all FILEs), intersection (those that all FILEs have), or none (default)
  --source-field NAME   new field with the name of the FILE of each feature, and of the layer if FILE has several
  --from FORMAT         format of the files   --to FORMAT           format of OUT
  --from-crs CRS        CRS of the FILEs that do not define one: once for all, or once for each
  --to-crs CRS          CRS of OUT (default: that of the first FILE, in which transformations work)
  --layer NAME          only this layer; can be repeated
  --layer-name NAME     name of the layer in OUT
  --update              add the layer to OUT, an existing GeoPackage; with --overwrite it replaces one of that name
${conversionUsage('merged')}

Examples:
  geomill merge north.zip south.zip --out country.gpkg
  geomill merge north.zip south.zip --out outline.gpkg --union
  geomill merge jan.csv feb.csv --out year.csv --attributes union --source-field month
  geomill merge roads.zip paths.gpkg survey.csv --out all.gpkg --attributes union`;

export const flags = (): Flags => ({
  out: { type: 'string' },
  attributes: { type: 'string' },
  'source-field': { type: 'string' },
  'from-crs': { type: 'string', multiple: true },
  'layer-name': { type: 'string' },
  update: { type: 'boolean' },
  ...conversionFlags(),
});

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const { positionals } = parsed;
  if (positionals.length < 1)
    throw failure(generalErrors.USAGE, { detail: 'merge takes FILEs, got none; see geomill merge --help' });
  const output = outputOf(parsed, 'merge');
  const stated = crsForEach(parsed, 'from-crs', positionals.length, 'FILEs');
  return runCommand(
    {
      operation: 'merge',
      inputs: positionals,
      files: fileRequests(stated, 'from-crs'),
      output,
      merge: mergeOf(parsed.values),
      unnamed: 'merged',
    },
    parsed,
    context,
  );
}

const MODES = ['union', 'intersection', 'none'] as const;

function mergeOf({ attributes = 'none', 'source-field': sourceField }: Parsed['values']): MergeRequest {
  const mode = MODES.find((known) => known === attributes);
  if (mode === undefined)
    throw failure(generalErrors.USAGE, {
      detail: `--attributes takes ${MODES.join(', ')}, not '${String(attributes)}'`,
    });
  return { attributes: mode, ...(typeof sourceField === 'string' ? { sourceField } : {}) };
}
