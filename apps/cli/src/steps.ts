/**
 * The chain of transformations of a command line: flags in the order they were given. The meaning of each flag is in the
 * transformation's record; `--pipeline FILE` takes the chain as a request has it, for everything that flags cannot say.
 */
import type { ParseArgsConfig } from 'node:util';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { statOf } from '@geomill/library/output-path.ts';
import { LAYER_FLAG, LAYER_PARAMETER, layersOf } from '@geomill/operations/parts/step-layers.ts';
import { transformations } from '@geomill/operations/registry.ts';
import type { RequestedStep } from '@geomill/operations/requested-steps.ts';
import type {
  CommandLineForm,
  CommandLineModifier,
  StepParameters,
  Transformation,
} from '@geomill/operations/transformation.ts';
import type { Parsed } from './arguments.ts';
import { readJson } from './json-file.ts';
import { isUrl } from './urls.ts';

type Flags = NonNullable<ParseArgsConfig['options']>;

/** An open step: later flags may add options to it. */
interface OpenStep {
  readonly record: Transformation;
  /** The flag that began it, "--buffer". */
  readonly flag: string;
  parameters: StepParameters;
}

const PIPELINE = 'pipeline';

/** One flag per form and modifier of all transformations, and `--pipeline`. */
export function stepFlags(registry: readonly Transformation[] = transformations): Flags {
  const flags: Flags = {
    [PIPELINE]: { type: 'string', multiple: true },
    [LAYER_FLAG.flag]: { type: 'string', multiple: true },
  };
  for (const { commandLine } of registry) {
    if (commandLine === null) continue;
    for (const { flag, placeholder } of [commandLine, ...(commandLine.modifiers ?? [])])
      flags[flag] = { type: placeholder === null ? 'boolean' : 'string', multiple: true };
  }
  return flags;
}

/** The steps in the order of their flags, checked. Throws USAGE and what `parseSteps` throws. */
export async function stepsOf(
  { order }: Pick<Parsed, 'order'>,
  registry: readonly Transformation[] = transformations,
): Promise<readonly RequestedStep[]> {
  const chain: (OpenStep | { readonly file: string })[] = [];
  for (const { name, value } of order) {
    if (name === PIPELINE) chain.push({ file: value as string });
    else if (name === LAYER_FLAG.flag) restrictStep(chain, value as string);
    else if (isForLast(chain, name, value) || !beginStep(chain, name, value, registry))
      modifyStep(chain, name, value, registry);
  }
  if (chain.length === 0) return [];
  // The schema validator takes as long to load as a small conversion to run: only for who needs it.
  const { checkedStep, checkOrder, parseSteps } = await import('@geomill/operations/requested-steps.ts');
  const steps = chain.flatMap((link) => {
    if ('file' in link) return parseSteps(readPipeline(link.file), `--${PIPELINE}`, registry, 'paths');
    return [checkedStep(link.record, { ...link.parameters }, link.flag, registry)];
  });
  checkOrder(steps, registry);
  return steps;
}

/** Whether a flag that also begins a step is an option of the last one: "--join round" after buffer. */
function isForLast(
  chain: readonly (OpenStep | { readonly file: string })[],
  name: string,
  value: string | undefined,
): boolean {
  const last = chain.at(-1);
  if (last === undefined || 'file' in last) return false;
  const own = last.record.commandLine?.modifiers?.find(({ flag }) => flag === name);
  return own?.accepts?.(value ?? '') === true;
}

/** False when no transformation has a form with this flag. */
function beginStep(
  chain: (OpenStep | { readonly file: string })[],
  name: string,
  value: string | undefined,
  registry: readonly Transformation[],
): boolean {
  const record = registry.find(({ commandLine }) => commandLine?.flag === name);
  if (record === undefined) return false;
  const form = record.commandLine as CommandLineForm;
  chain.push({ record, flag: `--${name}`, parameters: form.parameters(value ?? '', isFile) });
  return true;
}

function modifyStep(
  chain: (OpenStep | { readonly file: string })[],
  name: string,
  value: string | undefined,
  registry: readonly Transformation[],
): void {
  const owners = registry.filter(({ commandLine }) =>
    commandLine?.modifiers?.some(({ flag }) => flag === name),
  );
  if (owners.length === 0) return;
  const last = chain.at(-1);
  const modifier =
    last === undefined || 'file' in last
      ? undefined
      : last.record.commandLine?.modifiers?.find(({ flag }) => flag === name);
  if (last === undefined || 'file' in last || modifier === undefined) {
    for (const record of owners) {
      const own = record.commandLine?.modifiers?.find(({ flag }) => flag === name);
      if (own?.beginsStep !== true) continue;
      chain.push({
        record,
        flag: `--${record.commandLine?.flag}`,
        parameters: own.parameters(value ?? '', {}),
      });
      return;
    }
    const flags = owners.map(({ commandLine }) => `--${commandLine?.flag}`).join(' or ');
    throw failure(generalErrors.USAGE, {
      detail: `--${name} is an option of ${flags}: put it after ${flags}`,
    });
  }
  last.parameters = modifier.parameters(value ?? '', last.parameters);
}

/** Adds a layer to those that the last step works on. */
function restrictStep(chain: readonly (OpenStep | { readonly file: string })[], layer: string): void {
  const last = chain.at(-1);
  if (last === undefined || 'file' in last)
    throw failure(generalErrors.USAGE, {
      detail: `--${LAYER_FLAG.flag} is an option of a transformation: put it after one; --layer chooses the layers that are read`,
    });
  const before = layersOf({ params: last.parameters }) ?? [];
  last.parameters = { ...last.parameters, [LAYER_PARAMETER]: [...before, layer] };
}

/** A list of steps, or a config that has one. */
function readPipeline(path: string): unknown {
  const content = readJson(path, `--${PIPELINE} ${path}`);
  if (typeof content === 'object' && content !== null && 'transformations' in content)
    return content.transformations;
  return content;
}

function isFile(path: string): boolean {
  return !isUrl(path) && statOf(path)?.isFile === true;
}

const COLUMN = 25;
const WIDTH = 110;

/** The lines of `--help` about transformations. */
export function stepUsage(registry: readonly Transformation[] = transformations): string {
  const forms = registry.flatMap(({ commandLine }) => (commandLine === null ? [] : [commandLine]));
  const modifiers = new Map<string, { readonly first: CommandLineModifier; readonly owners: string[] }>();
  for (const { flag, modifiers: own = [] } of forms) {
    for (const modifier of own) {
      const known = modifiers.get(modifier.flag);
      if (known === undefined) modifiers.set(modifier.flag, { first: modifier, owners: [`--${flag}`] });
      else known.owners.push(`--${flag}`);
    }
  }
  modifiers.set(LAYER_FLAG.flag, {
    first: { ...LAYER_FLAG, parameters: (_, before) => before },
    owners: ['any transformation'],
  });
  const beginning = [...modifiers.values()].filter(({ first }) => first.beginsStep);
  const flags = beginning.map(({ first }) => `--${first.flag}`).join(' and ');
  const alone = flags === '' ? '' : ` (${flags} also alone)`;
  return [
    ...forms.map(usageLines),
    usageLines({
      flag: PIPELINE,
      placeholder: 'FILE',
      description: 'read the transformations from a JSON file (same as "transformations" in a request)',
    }),
    `\nOptions of transformations; give each one after its transformation${alone}:`,
    ...[...modifiers.values()].map(({ first, owners }) =>
      usageLines({ ...first, description: `${owners.join(', ')}: ${first.description}` }),
    ),
  ].join('\n');
}

/** A flag with its description in lines of a help text. */
export function usageLines({
  flag,
  placeholder,
  description,
}: Pick<CommandLineForm, 'flag' | 'placeholder' | 'description'>): string {
  const head = `  --${flag}${placeholder === null ? '' : ` ${placeholder}`}`;
  const lines = [''];
  for (const word of description.split(' ')) {
    const last = lines[lines.length - 1];
    if (last !== '' && COLUMN + last.length + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  if (head.length >= COLUMN) lines.unshift('');
  return lines.map((line, i) => ((i === 0 ? head : '').padEnd(COLUMN) + line).trimEnd()).join('\n');
}
