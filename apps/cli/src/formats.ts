/** `geomill formats`: what can be read and written. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { isInputFormat, isOutputFormat } from '@geomill/formats/format.ts';
import { formats } from '@geomill/formats/registry.ts';
import { type Flags, parseCommand } from './arguments.ts';
import { standardOutput } from './standard-output.ts';

export const usage = (): string => `geomill formats [--json]

Lists the formats that are read and written, with their names and file name extensions.

  --json   print the list as JSON

Examples:
  geomill formats
  geomill help csv`;

export const flags = (): Flags => ({ json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } });

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const { values, positionals } = parsed;
  if (positionals.length > 0)
    throw failure(generalErrors.USAGE, {
      detail: `formats takes no arguments; see geomill help ${positionals[0]}`,
    });
  standardOutput().write(values.json === true ? `${JSON.stringify(list(), null, 2)}\n` : table());
  return 0;
}

function list(): object[] {
  return formats.map((format) => ({
    id: format.id,
    name: format.name,
    aliases: format.aliases,
    extensions: format.extensions,
    input: isInputFormat(format),
    output: isOutputFormat(format),
    summary: format.summary,
  }));
}

function table(): string {
  const rows = [
    ['format', 'read', 'write', 'extensions', ''],
    ...formats.map((format) => [
      format.id,
      isInputFormat(format) ? 'yes' : 'no',
      isOutputFormat(format) ? 'yes' : 'no',
      format.extensions.join(' '),
      format.summary,
    ]),
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n\n'geomill help FORMAT' lists the options of a format.\n`;
}
