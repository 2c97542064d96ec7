/**
 * What the workspace edits: inputs, steps and one output. It is the job document of `geomill run` and of the job API
 * (docs/job.schema.json), in which inputs are named by file, with what only a page needs beside it: a key for each step and
 * whether it is switched off. All functions are pure: an edit returns a new document, so that undo is a list of documents.
 */
import type { FormatRecord } from '@geomill/client/client.ts';

export type Operation = 'transform' | 'append' | 'merge';

/** Values of a step's parameters and of a format's options, as in a config. */
export type Options = Readonly<Record<string, unknown>>;

export interface InputChoice {
  /** File name; unique in the document. */
  readonly path: string;
  readonly format: string;
  /** EPSG code, "local", or null: as the file states. */
  readonly crs: string | null;
  /** `crs` is used although the file states another one. Absent: that would be an error. */
  readonly overridesCrs?: true;
  /** Names of the layers to read; null: all. */
  readonly layers: readonly string[] | null;
  /** Read options of the format. */
  readonly options: Options;
  /** Where the service fetches it from; absent: it is a file of this page. */
  readonly url?: string;
  /** Chosen as the file of a step alone: it is not converted while a step uses it. */
  readonly isForSteps?: true;
}

/** An input that a step reads beside the data, such as the polygons of a clip. */
export interface StepFile {
  /** Part of a form that holds it, and beginning of the names of parameters about it: "mask". */
  readonly part: string;
  /** Of the input. */
  readonly path: string;
}

export interface StepChoice {
  /** Identifies the step while it is edited and moved. */
  readonly key: number;
  readonly type: string;
  /** Without those that say which file `file` is, and how it is read. */
  readonly params: Options;
  readonly enabled: boolean;
  readonly file?: StepFile;
}

export interface OutputChoice {
  readonly format: string;
  /** EPSG code, "source" (the CRS of the input) or "local". */
  readonly crs: string;
  /** Name of the file without extension; null: as the input. */
  readonly name: string | null;
  /** Write options of the format. */
  readonly options: Options;
}

export interface WorkspaceDocument {
  readonly operation: Operation;
  readonly inputs: readonly InputChoice[];
  readonly steps: readonly StepChoice[];
  readonly output: OutputChoice;
}

export const EMPTY_DOCUMENT: WorkspaceDocument = {
  operation: 'transform',
  inputs: [],
  steps: [],
  output: { format: 'gpkg', crs: 'source', name: null, options: {} },
};

export function addInput(document: WorkspaceDocument, input: InputChoice): WorkspaceDocument {
  return { ...document, inputs: [...document.inputs, input] };
}

export function changeInput(
  document: WorkspaceDocument,
  path: string,
  change: Partial<InputChoice>,
): WorkspaceDocument {
  const inputs = document.inputs.map((input) => (input.path === path ? { ...input, ...change } : input));
  return { ...document, inputs };
}

/** Steps that use it do so under its new name. */
export function renameInput(document: WorkspaceDocument, path: string, name: string): WorkspaceDocument {
  const steps = document.steps.map((step) =>
    step.file?.path === path ? { ...step, file: { ...step.file, path: name } } : step,
  );
  return { ...changeInput(document, path, { path: name }), steps };
}

export function removeInput(document: WorkspaceDocument, path: string): WorkspaceDocument {
  return withInputs(
    document,
    document.inputs.filter((input) => input.path !== path),
  );
}

function withInputs(document: WorkspaceDocument, inputs: readonly InputChoice[]): WorkspaceDocument {
  const next = { ...document, inputs };
  return convertedInputs(next).length < 2 ? { ...next, operation: 'transform' } : next;
}

/** The inputs without those that are there for steps alone. */
export function convertedInputs({ inputs, steps }: WorkspaceDocument): readonly InputChoice[] {
  const used = new Set(steps.map(({ file }) => file?.path));
  return inputs.filter(({ path, isForSteps }) => isForSteps !== true || !used.has(path));
}

/** Whether an input that a step uses is converted as well. */
export function setConverted(
  document: WorkspaceDocument,
  path: string,
  isConverted: boolean,
): WorkspaceDocument {
  const inputs = document.inputs.map((input) => {
    if (input.path !== path) return input;
    const { isForSteps: _old, ...others } = input;
    return isConverted ? others : { ...others, isForSteps: true as const };
  });
  return withInputs(document, inputs);
}

/** An input that a step begins to use is no longer converted, unless it is the only one. `params`: of the step, without an earlier file. */
export function chooseStepFile(
  document: WorkspaceDocument,
  key: number,
  file: StepFile,
  params: Options,
): WorkspaceDocument {
  const isUsed = document.steps.some((step) => step.file?.path === file.path);
  const next = changeStep(document, key, { file, params });
  const hasOthers = convertedInputs(document).some(({ path }) => path !== file.path);
  return isUsed || !hasOthers ? next : setConverted(next, file.path, false);
}

export function addStep(document: WorkspaceDocument, type: string, params: Options): WorkspaceDocument {
  const key = 1 + Math.max(0, ...document.steps.map((step) => step.key));
  return { ...document, steps: [...document.steps, { key, type, params, enabled: true }] };
}

export function changeStep(
  document: WorkspaceDocument,
  key: number,
  /** `file`: undefined removes it. */
  change: Partial<Omit<StepChoice, 'key'>>,
): WorkspaceDocument {
  return {
    ...document,
    steps: document.steps.map((step) => (step.key === key ? { ...step, ...change } : step)),
  };
}

export function removeStep(document: WorkspaceDocument, key: number): WorkspaceDocument {
  return { ...document, steps: document.steps.filter((step) => step.key !== key) };
}

export function duplicateStep(document: WorkspaceDocument, key: number): WorkspaceDocument {
  const next = 1 + Math.max(0, ...document.steps.map((step) => step.key));
  const steps = document.steps.flatMap((step) =>
    step.key === key ? [step, { ...step, key: next }] : [step],
  );
  return { ...document, steps };
}

/** Moves a step to an index of the list; indices beyond its ends are the ends. */
export function moveStep(document: WorkspaceDocument, key: number, index: number): WorkspaceDocument {
  const step = document.steps.find((one) => one.key === key);
  if (step === undefined) return document;
  const others = document.steps.filter((one) => one.key !== key);
  const at = Math.min(Math.max(index, 0), others.length);
  return { ...document, steps: others.toSpliced(at, 0, step) };
}

/** Another format keeps the CRS, the name and the field that divides the output, and drops the other options, which are those of a format. */
export function chooseOutput(document: WorkspaceDocument, change: Partial<OutputChoice>): WorkspaceDocument {
  const isOther = change.format !== undefined && change.format !== document.output.format;
  const { split_by } = document.output.options;
  const kept = { options: split_by === undefined ? {} : { split_by } };
  return { ...document, output: { ...document.output, ...(isOther ? kept : {}), ...change } };
}

/** A step of a config. */
export interface StepConfig {
  readonly type: string;
  readonly params?: Options;
}

/** The parameters that say which file a step uses, for the receiver of a config. `url`: from which the receiver fetches it. */
export type FileReference = (file: StepFile, url: string | undefined) => Options;

/** As in a document for `geomill run`. */
export const byPath: FileReference = ({ part, path }, url) => ({ [part]: url ?? path });

/** The steps that are switched on, as a config has them. */
export function stepConfigs(document: WorkspaceDocument, reference = byPath): StepConfig[] {
  return document.steps
    .filter(({ enabled }) => enabled)
    .map((step) => {
      const params = stepParameters(document, step, reference);
      return Object.keys(params).length === 0 ? { type: step.type } : { type: step.type, params };
    });
}

/** With those that say which file it uses, and how that is read. */
export function stepParameters(
  { inputs }: WorkspaceDocument,
  { params, file }: StepChoice,
  reference = byPath,
): Options {
  if (file === undefined) return params;
  const input = inputs.find(({ path }) => path === file.path);
  return {
    ...reference(file, input?.url),
    ...(input === undefined ? {} : fileReading(file.part, input)),
    ...params,
  };
}

/** How the file of a step is read, as parameters of the step. */
export function fileReading(part: string, { format, crs, options }: InputChoice): Options {
  return {
    [`${part}_format`]: format,
    ...(crs === null ? {} : { [`${part}_crs`]: crs }),
    ...(Object.keys(options).length === 0 ? {} : { [`${part}_options`]: options }),
  };
}

/** `input` of a config, without the file; its address is in it. */
export function inputConfig({ format, crs, overridesCrs, layers, options, url }: InputChoice): Options {
  return {
    format,
    ...(url === undefined ? {} : { url }),
    ...(crs === null ? {} : { epsg: crs }),
    ...(overridesCrs === true ? { override_crs: true } : {}),
    ...(layers === null ? {} : { layer: layers }),
    ...options,
  };
}

/** The facts of the output format that decide the CRS of an output; null: the record is not loaded yet. */
export type CrsRule = Pick<FormatRecord, 'fixed_output_crs'> | null;

/** `output` of a config. */
export function outputConfig(output: OutputChoice, rule: CrsRule): Options {
  const { format, crs, options } = output;
  return { format, ...(fixedCrs(output, rule) === null ? { epsg: crs } : {}), ...options };
}

/** The CRS that the format has whatever is chosen: GeoJSON is longitude and latitude (RFC 7946), unless its option says otherwise. */
export function fixedCrs({ options }: OutputChoice, rule: CrsRule): string | null {
  const fixed = rule?.fixed_output_crs ?? null;
  return fixed === null || (options[fixed.unless ?? ''] ?? 'wgs84') !== 'wgs84' ? null : fixed.crs;
}

/** The config of a job that converts one input. */
export function conversionConfig(
  document: WorkspaceDocument,
  input: InputChoice,
  rule: CrsRule,
  reference = byPath,
): Options {
  const transformations = stepConfigs(document, reference);
  return {
    input: inputConfig(input),
    ...(transformations.length === 0 ? {} : { transformations }),
    output: outputConfig(document.output, rule),
  };
}

/** The document that `geomill run` takes. `path` of the output is its file name. */
export function jobDocument(
  document: WorkspaceDocument,
  outputPath: string,
  rule: CrsRule,
  inputs = convertedInputs(document),
): Options {
  const steps = stepConfigs(document);
  return {
    ...(document.operation === 'transform' ? {} : { operation: document.operation }),
    inputs: inputs.map((input) => ({
      ...(input.url === undefined ? { path: input.path } : {}),
      ...inputConfig(input),
    })),
    ...(steps.length === 0 ? {} : { steps }),
    outputs: [{ path: outputPath, ...outputConfig(document.output, rule) }],
  };
}
