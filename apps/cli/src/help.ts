/** `geomill help TOPIC`: a command, a format or a transformation, from the registries. */
import { closest } from '@geomill/core/messages/did-you-mean.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { type Format, isInputFormat, isOutputFormat, type OptionsSchema } from '@geomill/formats/format.ts';
import { formatNamed } from '@geomill/formats/format-by-id.ts';
import { formats } from '@geomill/formats/registry.ts';
import { exampleStep } from '@geomill/operations/parts/example-step.ts';
import { transformations } from '@geomill/operations/registry.ts';
import type { Transformation } from '@geomill/operations/transformation.ts';
import { type Flags, flagName, parse } from './arguments.ts';
import { commands, overview } from './commands.ts';
import { standardOutput } from './standard-output.ts';
import { usageLines } from './steps.ts';

export const usage = (): string => `geomill help [TOPIC]

  TOPIC   a command, a format or a transformation; without it, the list of commands

Examples:
  geomill help convert
  geomill help csv
  geomill help buffer`;

export const flags = (): Flags => ({ help: { type: 'boolean', short: 'h' } });

/** Everything that has a help text. */
export function topics(): readonly string[] {
  return [
    ...new Set([
      ...Object.keys(commands),
      ...formats.flatMap(({ id, aliases }) => [id, ...aliases]),
      ...transformations.map(({ id }) => id),
    ]),
  ];
}

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parse(argv, flags());
  if (positionals.length > 1) throw failure(generalErrors.USAGE, { detail: 'help takes one topic' });
  const [topic] = positionals;
  if (values.help === true) standardOutput().write(`${usage()}\n`);
  else standardOutput().write(topic === undefined ? overview() : `${await helpOn(topic)}\n`);
  return 0;
}

async function helpOn(topic: string): Promise<string> {
  const command = Object.hasOwn(commands, topic) ? (await commands[topic].load()).usage() : null;
  const name = topic.toLowerCase().replace(/^\.|^--/, '');
  const format = command === null ? formatNamed(formats, name) : undefined;
  if (format !== undefined) return formatHelp(format);
  const step = transformations.find(({ id, commandLine }) =>
    [id, id.replaceAll('_', '-'), commandLine?.flag].includes(name),
  );
  // 'join' is a command and a transformation.
  const found = [command, step === undefined ? null : stepHelp(step)].filter((text) => text !== null);
  if (found.length > 0) return found.join('\n\n');
  const meant = closest(topic, topics());
  const advice = meant === null ? '' : `; did you mean '${meant}'?`;
  throw failure(generalErrors.USAGE, {
    detail: `there is no help on '${topic}'${advice}; geomill help lists the commands`,
  });
}

function formatHelp(format: Format): string {
  const aliases = format.aliases.length === 0 ? '' : ` (also ${format.aliases.join(', ')})`;
  return [
    `${format.id}${aliases}: ${format.title}`,
    '',
    `  extensions  ${format.extensions.join(' ')}`,
    ...(isInputFormat(format)
      ? optionsHelp('Options for reading', 'in', format.readOptions)
      : ['', 'Not read.']),
    ...(isOutputFormat(format)
      ? optionsHelp('Options for writing', 'out', format.writeOptions)
      : ['', 'Not written.']),
    '',
    `Rules and losses: docs/formats/${format.id}.md`,
  ].join('\n');
}

function optionsHelp(title: string, side: 'in' | 'out', { properties }: OptionsSchema): string[] {
  const options = Object.entries(properties);
  if (options.length === 0) return ['', `${title}: none`];
  return [
    '',
    `${title}:`,
    ...options.map(([name, schema]) =>
      usageLines({ flag: flagName(side, name), placeholder: 'VALUE', description: describedSchema(schema) }),
    ),
  ];
}

/** Description, choices and default of an option or parameter. */
function describedSchema(schema: object): string {
  const { description, enum: choices, default: preset } = schema as Readonly<Record<string, unknown>>;
  const parts = [String(description ?? '').replace(/\s+/g, ' ')];
  if (Array.isArray(choices)) parts.push(`(${choices.map(shownValue).join(', ')})`);
  if (preset !== undefined && String(preset) !== '') parts.push(`(default: ${shownValue(preset)})`);
  return parts.filter((part) => part !== '').join(' ');
}

function shownValue(value: unknown): string {
  return /^[\w.-]+$/.test(String(value)) ? String(value) : JSON.stringify(value);
}

function stepHelp(record: Transformation): string {
  const { id, title, description, parameters, guarantees, commandLine } = record;
  const names = Object.entries(parameters.properties);
  const lines = [`${id}: ${title}`, '', ...description.split('\n').map(plainText)];
  if (commandLine !== null)
    lines.push(
      '',
      'On the command line:',
      ...[commandLine, ...(commandLine.modifiers ?? [])].map(usageLines),
    );
  lines.push('', names.length === 0 ? 'Parameters: none' : 'Parameters in a request:');
  for (const [name, schema] of names) {
    const required = parameters.required?.includes(name) ? 'required. ' : '';
    lines.push(described(name, `${required}${plainText(describedSchema(schema))}`));
  }
  lines.push('', 'Example:', `  ${JSON.stringify(exampleStep(record))}`);
  lines.push('', 'Guarantees:', ...guarantees.map((one) => `  - ${plainText(one)}`));
  return lines.join('\n');
}

function described(name: string, text: string): string {
  return usageLines({ flag: name, placeholder: null, description: text }).replace(
    `--${name}`,
    name.padEnd(name.length + 2),
  );
}

/** Without the marks of Markdown. */
function plainText(text: string): string {
  return text.replaceAll('`', '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}
