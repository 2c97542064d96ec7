/** `geomill append TARGET FILE... --out OUT`: the features of files behind those of a target, in its fields. */
import { failure } from '../errors.ts';
import { parse } from './arguments.ts';
import { crsForEach, fileRequests, outputOf } from './combine.ts';
import { type CommandContext, conversionFlags, conversionUsage, crsOf, runCommand } from './conversion.ts';

export const usage = `geomill append TARGET FILE... --out OUT [options]

  TARGET, FILE, OUT     files; the format comes from the ending, '-' is standard input or output. TARGET and the
                        FILEs have one format. OUT has the fields of TARGET; other fields are dropped, and named
  --out OUT             where the result goes; TARGET itself is replaced if --overwrite says so
  --from FORMAT         format of the files   --to FORMAT           format of OUT
  --from-crs CRS        CRS of TARGET, where it does not say; of the FILEs too, unless --append-crs tells
  --append-crs CRS      CRS of the FILEs, where they do not say: once for all, or once for each
  --to-crs CRS          CRS of OUT (default EPSG:4326); transformations work in that of TARGET
  --layer NAME          this layer only; can be repeated. Features go to the layer of the same name, or to the only one
${conversionUsage('appended')}`;

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const parsed = parse(argv, {
    out: { type: 'string' },
    'from-crs': { type: 'string' },
    'append-crs': { type: 'string', multiple: true },
    ...conversionFlags(),
  });
  const { values, positionals } = parsed;
  if (values.help === true) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  if (positionals.length < 2) {
    throw failure('USAGE', {
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
