/** `geomill run JOB.json`: a job document with inputs, steps and outputs. */
import { resolve } from 'node:path';
import { asGeomillError, failure } from '@geomill/core/messages/errors.ts';
import { shownFindings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { CONFIG_FORM, type FieldForm } from '@geomill/core/messages/message.ts';
import type { InputFormat } from '@geomill/formats/format.ts';
import { type FormatKey, outputMembers } from '@geomill/library/choose-format.ts';
import { jobRequests } from '@geomill/library/job-requests.ts';
import { documentText, reportDocument } from '@geomill/pipeline/report-document.ts';
import { documentPath, type JobDocument, parseDocument } from '@geomill/requests/job-document.ts';
import { catalogue } from '@geomill/service/catalogue.ts';
import { chooseInputFormat, chooseOutputFormat, type Flags, type Parsed, parseCommand } from './arguments.ts';
import { type CommandContext, runConversionOf } from './conversion.ts';
import { type Conversion, filesRead } from './conversion-request.ts';
import { checkOutput } from './files.ts';
import { readJson } from './json-file.ts';
import { restartForLargeFiles } from './restart.ts';
import { isArchive } from './split.ts';
import { standardOutput } from './standard-output.ts';
import { findingLines, summarize } from './summary.ts';

export const usage = (): string => `geomill run JOB.json [options]

Runs a job document: {"inputs": [{"path": "a.gpkg"}], "steps": [...], "outputs": [{"path": "b.zip"}]}. Its members are those of a
config of the service, which accepts the same document (docs/api.md); its schema is docs/job.schema.json. The document is read
from standard input if it is '-'. Paths are relative to the current directory.

  --overwrite            replace outputs that exist
  --drop-other-content   let an append with --overwrite lose what the output cannot keep of the target
  --threads N            maximum number of worker threads for large files (default: one per core)
  --json                 print a JSON object with the path and report of each output: {"outputs": [{"path", "report"}]}
  --quiet                print errors only

Examples:
  geomill run job.json
  geomill run job.json --overwrite --json`;

export const flags = (): Flags => ({
  overwrite: { type: 'boolean' },
  'drop-other-content': { type: 'boolean' },
  threads: { type: 'string' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
});

/** Messages name the paths of the document. */
class DocumentForm implements FieldForm {
  /** Index of the output that is being checked or written. */
  output = 0;

  name(path: string): string {
    return documentPath(CONFIG_FORM.name(path), this.output);
  }

  required(path: string): string {
    return CONFIG_FORM.required(this.name(path));
  }

  set(path: string, value: string | null): string {
    // It concerns the file that the run finds, not the job.
    if (path === 'output.drop_other_content') return 'add --drop-other-content';
    return CONFIG_FORM.set(this.name(path), value);
  }
}

export const errorForm = new DocumentForm();

/** An output in the JSON that the command prints; the members are those of a job of the service. */
interface OutputResult {
  readonly path: string;
  readonly report?: object;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const { values, positionals } = parsed;
  if (positionals.length !== 1)
    throw failure(generalErrors.USAGE, { detail: 'run takes one job document; see geomill run --help' });
  const [file] = positionals;
  const document = parseDocument(readJson(file));
  if (file === '-' && document.inputs.some(({ path }) => path === '-'))
    throw failure(generalErrors.USAGE, { detail: 'standard input cannot be both the document and an input' });
  // All outputs are checked before the first one is written.
  const conversions = document.outputs.map((_, index) => conversionOf(document, index));
  checkOutputs(conversions, file, values.overwrite === true);
  const requests = conversions.flatMap(({ planned = [] }) => planned.map(({ request }) => request));
  restartForLargeFiles([...new Set(conversions.flatMap(filesOfConversion))], requests);
  const results: OutputResult[] = [];
  try {
    for (const [index, conversion] of conversions.entries()) {
      errorForm.output = index;
      results.push(await runOutput(conversion, parsed, context));
    }
  } catch (error) {
    const { code, message } = asGeomillError(error).inForm(errorForm);
    results.push({ path: conversions[results.length].output, error: { code, message } });
    throw error;
  } finally {
    if (values.json === true) {
      const stream = conversions.some(({ output }) => output === '-') ? process.stderr : standardOutput();
      stream.write(documentText({ outputs: results }));
    }
  }
  return 0;
}

async function runOutput(
  conversion: Conversion,
  parsed: Parsed,
  context: CommandContext,
): Promise<OutputResult> {
  const { report, request } = await runConversionOf(conversion, parsed, context);
  const { json, quiet } = parsed.values;
  if (json !== true && quiet !== true) process.stderr.write(summarize(report, errorForm));
  return { path: conversion.output, report: reportDocument(report, request, catalogue, errorForm) };
}

/** Throws USAGE if an output would replace what is read, another output, or, without `overwrite`, any file. */
function checkOutputs(conversions: readonly Conversion[], document: string, overwrite: boolean): void {
  if (conversions.length > 1 && conversions[0].inputs.includes('-'))
    throw failure(generalErrors.USAGE, {
      detail: 'standard input can be read only once: several outputs need an input file',
    });
  const taken = new Set<string>();
  for (const [index, conversion] of conversions.entries()) {
    const { operation, output } = conversion;
    // File systems may ignore letter case.
    const key = resolve(output).normalize('NFC').toLowerCase();
    if (taken.has(key))
      throw failure(generalErrors.USAGE, {
        detail: `'outputs[${index}].path' is '${output}' again; give each output a file of its own`,
      });
    taken.add(key);
    if (output === '-') continue;
    const read = [...filesOfConversion(conversion), document];
    checkOutput(output, { inputs: read, overwrite, isUpdate: operation === 'append' });
  }
}

function filesOfConversion({ inputs, planned = [] }: Conversion): readonly string[] {
  return filesRead(inputs, planned);
}

/** The conversion that writes an output of a document. Throws what the checks of its members throw. */
export function conversionOf(document: JobDocument, index: number): Conversion {
  const { operation, inputs, outputs } = document;
  const paths = inputs.map((input, i) => pathOf(input.path, `inputs[${i}]`));
  const output = pathOf(outputs[index].path, `outputs[${index}]`);
  const { path: _, ...target } = outputs[index];
  errorForm.output = index;
  const choice = chooseOutputFormat(target.format, output, formatKey('output.format'));
  const formats = formatsOf(inputs, paths);
  const members = outputMembers(target, output, choice);
  const own = inputs.map(({ path: _, ...input }) => input);
  const { runs, findings } = jobRequests(
    { ...document, inputs: own, outputs: [members] },
    { inputs: formats, output: choice.format },
  );
  for (const line of findingLines(shownFindings(findings.list(), catalogue, errorForm)))
    process.stderr.write(`${line}\n`);
  const [{ request }] = runs;
  if (request.output.split?.into === 'files' && !isArchive(output, choice.format, request.output.options))
    throw failure(generalErrors.CONFIG_INVALID, {
      detail: `'outputs[${index}].path' is '${output}', which cannot hold a file for each value of 'split_by'; use the name of a .zip`,
    });
  const planned = runs.map((run) => ({
    ...run,
    request: { ...run.request, output: { ...run.request.output, toFile: true } },
  }));
  return { operation, inputs: paths, files: [], output, unnamed: 'geomill', planned };
}

/** An input without a format has that which the first input states, else the one of its name; standard input has that of the first. */
function formatsOf(inputs: JobDocument['inputs'], paths: readonly string[]): readonly InputFormat[] {
  const first = chooseInputFormat(textOf(inputs[0].format), paths[0], formatKey('input.format'));
  return paths.map((path, i) => {
    const stated = textOf(inputs[i].format ?? inputs[0].format);
    if (i === 0 || (path === '-' && stated === undefined)) return first;
    return chooseInputFormat(stated, path, formatKey(`inputs[${i}].format`));
  });
}

/** Throws CONFIG_INVALID for the name of a format that is not a text. */
function textOf(format: unknown): string | undefined {
  if (format === undefined || typeof format === 'string') return format;
  throw failure(generalErrors.CONFIG_INVALID, { detail: "the 'format' of an input must be a text" });
}

function formatKey(path: string): FormatKey {
  return {
    name: path,
    advice: `set '${errorForm.name(path)}' to one of`,
    directoryAdvice: '',
    refuse: (detail) => failure(generalErrors.USAGE, { detail }),
  };
}

function pathOf(value: unknown, where: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw failure(generalErrors.CONFIG_INVALID, {
    detail: `'${where}.path' is required: the path of a file, or -`,
  });
}
