/** `geomill run JOB.json`: a job document with inputs, steps and outputs. */
import { resolve } from 'node:path';
import { asGeomillError, failure } from '@geomill/core/messages/errors.ts';
import { shownFindings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { CONFIG_FORM, type FieldForm } from '@geomill/core/messages/message.ts';
import { formats } from '@geomill/formats/registry.ts';
import { transformations } from '@geomill/operations/registry.ts';
import { documentText, reportDocument } from '@geomill/pipeline/report-document.ts';
import type { ConversionRequest } from '@geomill/pipeline/request.ts';
import {
  configOfDocument,
  documentPath,
  type JobDocument,
  parseDocument,
} from '@geomill/requests/job-document.ts';
import { parseJobRequest } from '@geomill/requests/parse-job-request.ts';
import { catalogue } from '@geomill/service/catalogue.ts';
import {
  chooseInputFormat,
  chooseOutputFormat,
  type Flags,
  type FormatKey,
  type Parsed,
  parseCommand,
} from './arguments.ts';
import { type CommandContext, type Conversion, filesRead, runConversionOf } from './conversion.ts';
import { checkOutput } from './files.ts';
import { readJson } from './json-file.ts';
import { restartForLargeFiles } from './restart.ts';
import { isArchive, isZipName } from './split.ts';
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
  const requests = conversions.flatMap(({ request }) => request ?? []);
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

function filesOfConversion({ inputs, request }: Conversion): readonly string[] {
  return filesRead(inputs, request === undefined ? [] : [request]);
}

function conversionOf(document: JobDocument, index: number): Conversion {
  const { operation, inputs, outputs } = document;
  const paths = inputs.map((input, i) => pathOf(input.path, `inputs[${i}]`));
  const output = pathOf(outputs[index].path, `outputs[${index}]`);
  const { path: _, ...first } = inputs[0];
  const { path: __, ...target } = outputs[index];
  errorForm.output = index;
  const chosen = chooseOutputFormat(target.format, output, formatKey('output.format'));
  const format = first.format ?? chooseInputFormat(undefined, paths[0], formatKey('input.format')).id;
  const config = configOfDocument(
    {
      ...document,
      inputs: [{ ...first, format }, ...inputs.slice(1)],
      outputs: [
        {
          ...splitDefault(output, target),
          ...chosen.options,
          ...target,
          format: target.format ?? chosen.format.id,
        },
      ],
    },
    0,
  );
  // The CRSs that a document does not state are those of `geomill convert`.
  const endpoint = {
    operation,
    inputFormat: null,
    spelling: 'nested',
    isCrsOptional: true,
    keepsCrs: true,
  } as const;
  const { forFiles, findings } = parseJobRequest(
    config,
    endpoint,
    { formats, transformations },
    undefined,
    'paths',
  );
  for (const line of findingLines(shownFindings(findings.list(), catalogue, errorForm)))
    process.stderr.write(`${line}\n`);
  const request = forFiles(paths.length) as ConversionRequest;
  if (request.output.split?.into === 'files' && !isArchive(output, chosen.format, request.output.options))
    throw failure(generalErrors.CONFIG_INVALID, {
      detail: `'outputs[${index}].path' is '${output}', which cannot hold a file for each value of 'split_by'; use the name of a .zip`,
    });
  return {
    operation,
    inputs: paths,
    files: [],
    output,
    unnamed: 'geomill',
    request,
  };
}

/** A path that ends with .zip gets files, also of formats with layers, as with `geomill convert --split-by`. */
function splitDefault(output: string, { split_by }: Readonly<Record<string, unknown>>): object {
  return split_by !== undefined && isZipName(output) ? { split_into: 'files' } : {};
}

function formatKey(path: string): FormatKey {
  return { name: path, advice: `set '${errorForm.name(path)}' to one of` };
}

function pathOf(value: unknown, where: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw failure(generalErrors.CONFIG_INVALID, {
    detail: `'${where}.path' is required: the path of a file, or -`,
  });
}
