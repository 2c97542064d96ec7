/** `geomill convert IN OUT`: the pipeline without a service. */
import { failure } from '../errors.ts';
import { parse } from './arguments.ts';
import { type CommandContext, conversionFlags, conversionUsage, crsOf, runCommand } from './conversion.ts';

export const usage = `geomill convert IN OUT [options]

  IN, OUT               files; the extension states the format; '-' is standard input or output
  --from FORMAT         format of IN          --to FORMAT           format of OUT
  --from-crs CRS        CRS of IN, if the file does not define one (EPSG:28350)
  --to-crs CRS          CRS of OUT (default: that of IN; GeoJSON is always in EPSG:4326)
  --layer NAME          read only this layer; can be repeated
${conversionUsage('converted')}`;

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const parsed = parse(argv, { 'from-crs': { type: 'string' }, ...conversionFlags() });
  const { values, positionals } = parsed;
  if (values.help === true) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  if (positionals.length !== 2) {
    throw failure('USAGE', {
      detail: `convert takes IN and OUT, got ${positionals.length} names; see geomill convert --help`,
    });
  }
  const [input, output] = positionals;
  return runCommand(
    {
      operation: 'transform',
      inputs: [input],
      files: [{ crs: crsOf(values['from-crs'], 'from-crs'), crsPath: 'input.epsg' }],
      output,
      unnamed: 'geomill',
    },
    parsed,
    context,
  );
}
