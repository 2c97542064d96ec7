/** `geomill append TARGET FILE... --out OUT`: adds the features of files to a target, in the fields of the target. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { type Flags, parseCommand } from './arguments.ts';
import { crsForEach, fileRequests, outputOf } from './combine.ts';
import { type CommandContext, runCommand } from './conversion.ts';
import { conversionFlags, conversionUsage } from './conversion-flags.ts';
import { crsOf } from './conversion-request.ts';

export const usage = (): string => `geomill append TARGET FILE... --out OUT [options]

  TARGET, FILE, OUT     files; the extension states the format; '-' is standard input or output.
                        OUT has the fields of TARGET; other fields are dropped and reported.
                        A GeoPackage TARGET can get FILEs of any format and CRS, and OUT keeps all of its content.
                        Otherwise TARGET and the FILEs have the same format
  --out OUT             output file; with --overwrite it may be TARGET itself
  --drop-other-content  replace TARGET although OUT lacks some of its content: other layers and tables, styles, ...
  --from FORMAT         format of the files   --to FORMAT           format of OUT
  --from-crs CRS        CRS of TARGET, if the file does not define one; also of the FILEs, without --append-crs
  --append-crs CRS      CRS of the FILEs that do not define one: once for all, or once for each
  --to-crs CRS          CRS of OUT (default: that of TARGET, in which transformations work)
  --layer NAME          only this layer; can be repeated. Features are added to the layer of the same name, or
                        to the only layer
${conversionUsage('appended')}

Examples:
  geomill append all.gpkg new.gpkg --out all.gpkg --overwrite
  geomill append all.gpkg march.gpkg april.gpkg --out spring.gpkg`;

export const flags = (): Flags => ({
  out: { type: 'string' },
  'from-crs': { type: 'string' },
  'append-crs': { type: 'string', multiple: true },
  'drop-other-content': { type: 'boolean' },
  ...conversionFlags(),
});

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const { values, positionals } = parsed;
  if (positionals.length < 2) {
    throw failure(generalErrors.USAGE, {
      detail: `append takes TARGET and at least one FILE, got ${positionals.length} names; see geomill append --help`,
    });
  }
  const output = outputOf(parsed, 'append');
  const target = { crs: crsOf(values['from-crs'], 'from-crs'), crsPath: '--from-crs' };
  const count = positionals.length - 1;
  const appended =
    values['append-crs'] === undefined && target.crs !== null
      ? Array.from({ length: count }, () => target)
      : fileRequests(crsForEach(parsed, 'append-crs', count, 'FILEs'), 'append-crs');
  return runCommand(
    {
      operation: 'append',
      inputs: positionals,
      files: [target, ...appended],
      output,
      unnamed: 'appended',
    },
    parsed,
    context,
  );
}
