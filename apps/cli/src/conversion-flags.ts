/** The flags that the commands that write a file have in common. */
import type { ParseArgsConfig } from 'node:util';
import { formatFlags } from './arguments.ts';
import { stepFlags, stepUsage } from './steps.ts';

/** Flags of every command that writes a file. */
export function conversionFlags(): NonNullable<ParseArgsConfig['options']> {
  return {
    from: { type: 'string' },
    to: { type: 'string' },
    'to-crs': { type: 'string' },
    layer: { type: 'string', multiple: true },
    'fail-on': { type: 'string' },
    strict: { type: 'boolean' },
    'accept-impossible-coordinates': { type: 'boolean' },
    exact: { type: 'boolean' },
    decimals: { type: 'string' },
    sidecar: { type: 'boolean' },
    overwrite: { type: 'boolean' },
    threads: { type: 'string' },
    report: { type: 'string' },
    findings: { type: 'string' },
    json: { type: 'boolean' },
    quiet: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
    ...formatFlags('in'),
    ...formatFlags('out'),
    ...stepFlags(),
  };
}

/** The last lines of every such command's usage. */
export function conversionUsage(done: string): string {
  return `  --in-NAME VALUE       option of the input format, e.g. --in-delimiter ';'   (docs/formats)
  --out-NAME VALUE      option of the output format, e.g. --out-bbox true
  --decimals N          decimal places of coordinates in text formats (default 7 for computed degrees)
  --sidecar             keep what the output format cannot hold in NAME.geomill.json (docs/sidecar.md)
  --overwrite           replace OUT if it exists
  --fail-on SEVERITY    write no output if a warning has this severity or a worse one: changed, lost
  --strict              write no output if a longitude is beyond 360 or a latitude beyond 90 degrees
  --accept-impossible-coordinates
                        convert longitudes beyond 360 and latitudes beyond 90 degrees as they are, however many
  --exact               let PROJ transform every position, also of large files   (docs/crs.md)
  --threads N           maximum number of worker threads for large files (default: one per core)
  --report FILE         write the report to FILE, as JSON
  --findings FILE       write the places of features that were dropped, repaired or changed to FILE, as GeoJSON
  --json                print the report as JSON
  --quiet               print errors only

Transformations, applied in the given order; each can be repeated   (docs/transformations.md):
${stepUsage()}

Exit status: 0 ${done}, 1 error in the input or the request, 2 wrong usage, 3 internal error, 130 interrupted.`;
}
