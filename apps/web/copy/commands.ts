/** The document as something to run elsewhere: curl, the command line, TypeScript, Python, JSON. Pure; tests run the results. */
import {
  type CrsRule,
  conversionConfig,
  convertedInputs,
  type FileReference,
  inputConfig,
  jobDocument,
  outputConfig,
  type StepFile,
  stepConfigs,
  type WorkspaceDocument,
} from '../model/document.ts';
import type { CopyKind } from './kinds.ts';

export type { CopyKind } from './kinds.ts';

export interface CommandContext {
  readonly serviceUrl: string;
  /** Extension of outputs of the chosen format, with the dot. */
  readonly outputExtension: string;
  readonly crsRule: CrsRule;
}

/** One text for all jobs of the document. */
export function copyAs(kind: CopyKind, document: WorkspaceDocument, context: CommandContext): string {
  const requests = requestsOf(document, context);
  switch (kind) {
    case 'curl':
      return requests.map((request) => curl(request, context)).join('\n');
    case 'cli':
      return documents(document, context)
        .map((one) => `geomill run - <<'GEOMILL_JOB'\n${JSON.stringify(one, null, 2)}\nGEOMILL_JOB\n`)
        .join('\n');
    case 'json':
      return documents(document, context)
        .map((one) => `${JSON.stringify(one, null, 2)}\n`)
        .join('\n');
    case 'typescript':
      return typescript(requests, context);
    case 'python':
      return python(requests, context);
  }
}

/** Parts of a form that hold converted files; others hold files of steps. */
const INPUT_PARTS: ReadonlySet<string> = new Set(['input_file', 'file', 'files']);

/** One request to the service. */
interface Request {
  readonly path: string;
  readonly config: object;
  /** Name of the part of the form, and of the file. */
  readonly files: readonly (readonly [part: string, name: string])[];
  readonly output: string;
}

function requestsOf(document: WorkspaceDocument, { outputExtension, crsRule }: CommandContext): Request[] {
  const { operation } = document;
  const inputs = convertedInputs(document);
  if (inputs.length === 0) return [];
  const { reference, parts } = filesOfSteps(document);
  if (operation === 'transform')
    return inputs.map((input) => ({
      path: '/transform',
      config: conversionConfig(document, input, crsRule, reference),
      files: [...(input.url === undefined ? [['input_file', input.path] as const] : []), ...parts],
      output: outputName(document, input.path, outputExtension),
    }));
  const transformations = stepConfigs(document, reference);
  return [
    {
      path: `/v1/transform/${inputs[0].format}/${operation}`,
      config: {
        input: inputConfig(inputs[0]),
        ...(transformations.length === 0 ? {} : { transformations }),
        output: outputConfig(document.output, crsRule),
      },
      // Inputs with an address: the service answers that these operations take files.
      files: [
        ...inputs.map(({ path }, i) => [operation === 'append' && i === 0 ? 'file' : 'files', path] as const),
        ...parts,
      ],
      output: outputName(document, inputs[0].path, outputExtension),
    },
  ];
}

/** Parts of a form for the files that steps use, and how steps refer to them. Several files have numbers: mask_1, mask_2. */
function filesOfSteps({ steps, inputs }: WorkspaceDocument): {
  readonly reference: FileReference;
  readonly parts: Request['files'];
} {
  const fetched = new Set(inputs.flatMap(({ path, url }) => (url === undefined ? [] : [path])));
  const used = steps.flatMap(({ enabled, file }) =>
    enabled && file !== undefined && !fetched.has(file.path) ? [file] : [],
  );
  const nameOf = ({ part, path }: StepFile): string => {
    const paths = [...new Set(used.flatMap((file) => (file.part === part ? [file.path] : [])))];
    return paths.length === 1 ? part : `${part}_${paths.indexOf(path) + 1}`;
  };
  const parts = new Map(used.map((file) => [nameOf(file), file.path]));
  return {
    reference: (file, url) =>
      url === undefined ? { [file.part]: nameOf(file) } : { [`${file.part}_url`]: url },
    parts: [...parts],
  };
}

function documents(document: WorkspaceDocument, { outputExtension, crsRule }: CommandContext): object[] {
  const all = convertedInputs(document);
  const groups = document.operation === 'transform' ? all.map((input) => [input]) : [all];
  return groups
    .filter((inputs) => inputs.length > 0)
    .map((inputs) =>
      jobDocument(document, outputName(document, inputs[0].path, outputExtension), crsRule, inputs),
    );
}

/** Never the name of an input: a copy beside it. */
function outputName(document: WorkspaceDocument, inputName: string, extension: string): string {
  const stem = document.output.name ?? inputName.replace(/\.[^.]*$/, '');
  const name = stem + extension;
  return document.inputs.some(({ path }) => path === name) ? `${stem}-converted${extension}` : name;
}

function curl({ path, config, files, output }: Request, { serviceUrl }: CommandContext): string {
  return [
    `curl -sS -f -o ${shell(output)} -H 'Prefer: wait=60' \\`,
    // curl looks for attributes such as ;type= in the value of -F.
    `  --form-string ${shell(`config=${JSON.stringify(config)}`)} \\`,
    // A name with a quote, comma or semicolon has to be quoted for curl as well.
    ...files.map(([part, name]) => `  -F ${shell(`${part}=@"${name.replace(/["\\]/g, '\\$&')}"`)} \\`),
    `  ${shell(serviceUrl + path)}`,
    '',
  ].join('\n');
}

/** A word for a POSIX shell. */
function shell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function typescript(requests: readonly Request[], { serviceUrl }: CommandContext): string {
  const calls = requests.map(({ path, config, files, output }) => {
    const operation = path.split('/').at(-1);
    const format = path.split('/')[3];
    const fileText = ([, name]: (typeof files)[number]) => `await fileFrom(${JSON.stringify(name)})`;
    const inputs = files.filter(([part]) => INPUT_PARTS.has(part)).map(fileText);
    const ofSteps = files.filter(([part]) => !INPUT_PARTS.has(part));
    const members = ofSteps.map((file) => `${file[0]}: ${fileText(file)}`).join(', ');
    const settings = `config: ${JSON.stringify(config, null, 2)}${
      ofSteps.length === 0 ? '' : `, mask: ${ofSteps.length === 1 ? fileText(ofSteps[0]) : `{ ${members} }`}`
    }`;
    const call =
      operation === 'append'
        ? `client.append(${JSON.stringify(format)}, { target: ${inputs[0]}, files: [${inputs.slice(1).join(', ')}], ${settings} })`
        : operation === 'merge'
          ? `client.merge(${JSON.stringify(format)}, { files: [${inputs.join(', ')}], ${settings} })`
          : `(await client.submit({ ${inputs.length === 0 ? '' : `input: ${inputs[0]}, `}${settings} })).result()`;
    return `await saveTo(await ${call}, ${JSON.stringify(output)});`;
  });
  return [
    `import { GeomillClient } from 'geomill/client';`,
    `import { fileFrom, saveTo } from 'geomill/client/node';`,
    '',
    `const client = new GeomillClient({ baseUrl: ${JSON.stringify(serviceUrl)} });`,
    ...calls,
    '',
  ].join('\n');
}

function python(requests: readonly Request[], { serviceUrl }: CommandContext): string {
  const calls = requests.flatMap(({ path, config, files, output }) => [
    `config = json.loads(${pythonText(JSON.stringify(config))})`,
    'files = [',
    '    ("config", (None, json.dumps(config), "application/json")),',
    ...files.map(
      ([part, name]) => `    (${pythonText(part)}, (${pythonText(name)}, open(${pythonText(name)}, "rb"))),`,
    ),
    ']',
    `response = requests.post(${pythonText(serviceUrl + path)}, files=files, headers={"Prefer": "wait=60"})`,
    'response.raise_for_status()',
    `with open(${pythonText(output)}, "wb") as output:`,
    '    output.write(response.content)',
  ]);
  return ['import json', '', 'import requests', '', ...calls, ''].join('\n');
}

/** JSON strings are Python strings, except for characters beyond 16 bits, which stay as they are. */
function pythonText(text: string): string {
  return JSON.stringify(text);
}
