/**
 * Who may import whom, so that a newcomer can trust the folders. Workspaces name each other: what one needs of others is in its package.json,
 * and what others may use of it is in its `exports`, which Node.js enforces. This file holds package.json to the imports, the direction of the
 * arrows, and the rules within a workspace. A rule that is in the way is to be discussed, not worked around.
 */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { settings } from '../apps/service/src/settings/config.ts';
import { importResolver, type Workspace, workspacesOf } from '../scripts/workspaces.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const workspaces = workspacesOf(ROOT);
const resolve = importResolver(ROOT);

/** A workspace may import those before it in this list: a new one gets its place here. */
const ORDER = [
  '@geomill/platform',
  '@geomill/core',
  '@geomill/io',
  '@geomill/geodesic',
  '@geomill/planar',
  '@geomill/proj',
  '@geomill/geos',
  '@geomill/sqlite',
  '@geomill/crs-search',
  '@geomill/expressions',
  '@geomill/formats',
  '@geomill/operations',
  '@geomill/pipeline',
  '@geomill/requests',
  '@geomill/library',
  '@geomill/client',
  '@geomill/service',
  '@geomill/cli',
  '@geomill/web',
];

/** What the rooms of a workspace may import of each other; a room is a folder, or a file beside the folders. */
const ROOMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  '@geomill/core': {
    'timers.ts': [],
    'ordered-tasks.ts': [],
    messages: [],
    schemas: [],
    bytes: ['messages'],
    text: ['bytes', 'messages'],
    crs: ['messages'],
    geometry: ['bytes', 'text', 'messages'],
    columns: ['bytes', 'text', 'messages', 'geometry'],
    // Longitudes and latitudes as positions on a sphere: the antimeridian and the poles.
    sphere: ['messages', 'crs', 'geometry', 'columns'],
  },
  '@geomill/service': {
    settings: [],
    tracing: [],
    // Starts processes in sandboxes; knows nothing of what they do.
    sandbox: [],
    postgres: [],
    storage: ['sandbox'],
    // Between the service and the processes that it does not trust.
    processes: ['catalogue.ts'],
    // Most of it runs in a process of its own, which may read the program.
    'remote-input': ['processes', 'sandbox'],
    jobs: [
      'catalogue.ts',
      'postgres',
      'processes',
      'remote-input',
      'sandbox',
      'settings',
      'storage',
      'tracing',
    ],
    accounts: ['postgres'],
    http: [
      'accounts',
      'catalogue.ts',
      'jobs',
      'pages/html.ts',
      'pages/style',
      'postgres',
      'remote-input',
      'settings',
      'storage',
      'tracing',
    ],
    'pages/html.ts': [],
    'pages/style': [],
    // Of HTTP it takes what knows nothing of jobs.
    'pages/account': ['accounts', 'http/send-static.ts', 'pages/html.ts', 'pages/style'],
    'pages/convert': ['accounts', 'http', 'jobs', 'pages/account', 'pages/html.ts'],
    // What operators do to a data directory; knows all that is kept in one.
    maintenance: ['accounts', 'jobs', 'postgres', 'sandbox', 'settings', 'storage'],
    // Collects the tables of errors and findings of all rooms.
    'catalogue.ts': [
      'accounts',
      'http',
      'jobs',
      'maintenance',
      'pages/account',
      'postgres',
      'remote-input',
      'storage',
    ].flatMap((room) => [`${room}/errors.ts`, `${room}/findings.ts`]),
    'logger.ts': ['accounts/secret-text.ts'],
    'account-jobs.ts': ['catalogue.ts', 'http', 'jobs', 'pages/account'],
    // From the configuration to the options of the rooms.
    'service-options.ts': ['jobs', 'pages/account', 'remote-input', 'sandbox', 'settings', 'storage'],
    // Puts the service together.
    'service.ts': [
      'account-jobs.ts',
      'http',
      'jobs',
      'logger.ts',
      'pages/account',
      'pages/convert',
      'postgres',
      'remote-input',
      'sandbox',
      'service-options.ts',
      'settings',
      'storage',
      'tracing',
    ],
  },
};

/** Workspaces, or rooms of one, that run anywhere: nothing of Node.js in them. */
const PURE = [
  '@geomill/core',
  '@geomill/io',
  '@geomill/geodesic',
  '@geomill/planar',
  '@geomill/proj',
  '@geomill/geos',
  '@geomill/sqlite',
  '@geomill/crs-search',
  '@geomill/expressions',
  '@geomill/formats',
  '@geomill/operations',
  '@geomill/pipeline',
  '@geomill/requests',
  '@geomill/library',
  '@geomill/client',
];
/** Parts of pure workspaces for Node.js alone. */
const OF_NODE = /^packages\/(?:client|engines\/sqlite)\/src\/node\//;
/** What is there without an import. */
const GLOBALS_OF_NODE = /(?<!')\b(?:Buffer\b(?!')|process\.|require\(|setImmediate\b|NodeJS\b)/;

/** Packages that only one workspace may use: the interface to an engine is in one place. */
const KEPT_TO: Readonly<Record<string, string | readonly string[]>> = {
  'proj-wasm': '@geomill/platform',
  'geos-wasm': '@geomill/platform',
  // Beside the connections of the platform, what only the service needs: copies, a log, and a handle for a library.
  'node:sqlite': ['@geomill/platform', '@geomill/sqlite'],
  ajv: ['@geomill/core', '@geomill/platform'],
  jose: '@geomill/service',
  'better-auth': '@geomill/service',
};

interface Source {
  /** Path in the repository. */
  readonly path: string;
  readonly workspace: Workspace;
  readonly text: string;
}

interface Import {
  readonly from: Source;
  readonly specifier: string;
  /** Path in the repository for files of our own; null: a package of others, or a module of Node.js. */
  readonly to: string | null;
  /** Loaded together with the file: neither a mere type nor loaded on demand. */
  readonly isAtStart: boolean;
  readonly isOnDemand: boolean;
}

const sources: readonly Source[] = workspaces.flatMap((workspace) =>
  globSync('**/*.{ts,tsx,js}', { cwd: join(ROOT, workspace.directory), exclude: ['test/**'] })
    .map((path) => `${workspace.directory}/${path.replaceAll('\\', '/')}`)
    .filter((path) => !path.endsWith('.d.ts'))
    .map((path) => ({ path, workspace, text: withoutComments(readFileSync(join(ROOT, path), 'utf8')) })),
);

const imports: readonly Import[] = sources.flatMap((from) =>
  specifiersOf(from.text).map((found) => {
    const target = resolve(join(ROOT, from.path), found.specifier);
    return { from, ...found, to: target === null ? null : relative(ROOT, target).replaceAll('\\', '/') };
  }),
);

function specifiersOf(code: string): Pick<Import, 'specifier' | 'isAtStart' | 'isOnDemand'>[] {
  const find = (pattern: RegExp, isAtStart: boolean, isOnDemand = false) =>
    [...code.matchAll(pattern)].map(([, specifier]) => ({ specifier, isAtStart, isOnDemand }));
  return [
    ...find(/^(?:import|export)\s(?!type\b)[^;'"]*?\bfrom\s+'([^']+)'/gm, true),
    ...find(/^import\s+'([^']+)'/gm, true),
    ...find(/^(?:import|export)\s+type\b[^;'"]*?\bfrom\s+'([^']+)'/gm, false),
    ...find(/\bimport\(\s*'([^']+)'\s*\)/g, false, true),
    ...find(/\bimport\.meta\.resolve\(\s*'([^']+)'\s*\)/g, false, true),
    ...find(/\bcreateRequire\(import\.meta\.url\)\(\s*'([^']+)'\s*\)/g, false, true),
    ...find(/\bpackageLoader\(import\.meta\.url\)\(\s*'([^']+)'\s*\)/g, false, true),
    ...find(/\brequire(?:\.resolve\.paths)?\(\s*'([^'.][^']*)'\s*\)/g, false, true),
    ...find(/\bresolve\.paths\(\s*'([^']+)'\s*\)/g, false, true),
    ...find(/\bnew URL\(\s*'(\.[^']+\.ts)',\s*import\.meta\.url\s*\)/g, false, true),
  ];
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

/** The package of a specifier: "@fastify/cors", "ajv", "node:fs". */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function workspaceOf(path: string): Workspace | undefined {
  return workspaces.find(({ directory }) => path.startsWith(`${directory}/`));
}

/** Path below `src`. */
function within({ directory }: Workspace, path: string): string {
  return path.slice(directory.length + '/src/'.length);
}

/** The longest room of the rules that has the file; null: none. */
function roomOf(rooms: Readonly<Record<string, unknown>>, path: string): string | null {
  const found = Object.keys(rooms).filter((room) => path === room || path.startsWith(`${room}/`));
  return found.sort((a, b) => b.length - a.length).at(0) ?? null;
}

const show = ({ from, specifier }: Import): string => `${from.path} imports ${specifier}`;

test('arrows between workspaces go one way', () => {
  assert.deepEqual(workspaces.map(({ name }) => name).sort(), ORDER.toSorted());
  const wrong = workspaces.flatMap(({ name, dependencies }) =>
    Object.keys(dependencies)
      .filter((other) => ORDER.includes(other) && ORDER.indexOf(other) >= ORDER.indexOf(name))
      .map((other) => `${name} depends on ${other}`),
  );
  assert.deepEqual(wrong, []);
});

test('package.json states what a workspace imports, and nothing else', () => {
  assert.ok(imports.length > 1000, 'the imports were found');
  for (const workspace of workspaces) {
    const used = imports
      .filter(({ from, specifier }) => from.workspace === workspace && !/^(?:\.|#|node:)/.test(specifier))
      .map(({ specifier }) => packageOf(specifier));
    const stated = Object.keys({ ...workspace.dependencies, ...workspace.devDependencies });
    assert.deepEqual(stated.toSorted(), [...new Set(used)].sort(), workspace.name);
  }
});

test('the published package depends on the packages that its workspaces depend on, in the same versions', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const needed = workspaces
    .flatMap((workspace) => Object.entries(workspace.dependencies))
    .filter(([name]) => !name.startsWith('@geomill/'));
  assert.deepEqual(dependencies, Object.fromEntries(needed.sort(([a], [b]) => (a < b ? -1 : 1))));
});

test('a relative import stays in its workspace, and names an existing file with its ending', () => {
  // Made by the build, into dist: see scripts/client-types.ts.
  const generated = ['client', 'library'].map((name) => `packages/${name}/src/openapi-types.ts`);
  const wrong = imports.filter(({ from, to }) => {
    if (to === null || generated.includes(to)) return false;
    return !existsSync(join(ROOT, to)) || workspaceOf(to) === undefined || !from.path;
  });
  const leaving = imports.filter(
    ({ from, specifier, to }) =>
      specifier.startsWith('.') && to !== null && workspaceOf(to) !== from.workspace,
  );
  assert.deepEqual([...wrong, ...leaving].map(show), []);
});

test('what a workspace shows, another one uses', () => {
  const unused = workspaces.flatMap((workspace) => {
    const used = imports
      .filter(({ from, to }) => to !== null && from.workspace !== workspace && workspaceOf(to) === workspace)
      .map(({ to }) => `./src/${within(workspace, to ?? '')}`);
    const isUsed = (file: string): boolean =>
      used.some((path) => (file.endsWith('/*') ? path.startsWith(file.slice(0, -1)) : path === file));
    return Object.entries(workspace.exports)
      .filter(([, file]) => !isUsed(file))
      .map(([shown]) => `${workspace.name} ${shown}`);
  });
  assert.deepEqual(unused, []);
});

// What the platform shows has the same path on each, whatever side it is taken from.
test('a path of a workspace is that of its source', () => {
  const sourcesOf = (name: string, shown: string): string[] =>
    [shown, ...(name === '@geomill/platform' ? [shown.replace('./', './node/')] : [])].map((path) =>
      path.replace('./', './src/'),
    );
  const wrong = workspaces.flatMap(({ name, exports }) =>
    Object.entries(exports)
      .filter(([shown, path]) => !sourcesOf(name, shown).includes(path))
      .map(([shown]) => `${name} ${shown}`),
  );
  assert.deepEqual(wrong, []);
});

test('rooms of a workspace import only what they may', () => {
  for (const workspace of workspaces) {
    const rooms = ROOMS[workspace.name];
    if (rooms === undefined) continue;
    const own = sources.filter((source) => source.workspace === workspace);
    const homeless = own.filter(({ path }) => roomOf(rooms, within(workspace, path)) === null);
    assert.deepEqual(homeless.map(({ path }) => path), []); // biome-ignore format: one line
    const wrong = imports.filter(({ from, to }) => {
      if (from.workspace !== workspace || to === null || workspaceOf(to) !== workspace) return false;
      const room = roomOf(rooms, within(workspace, from.path)) ?? '';
      const path = within(workspace, to);
      return (
        room !== roomOf(rooms, path) && !rooms[room].some((may) => path === may || path.startsWith(`${may}/`))
      );
    });
    assert.deepEqual(wrong.map(show), []);
  }
});

test("a format's folder is imported by name from the registry only", () => {
  const folders = 'packages/formats/src/';
  const formatOf = (path: string): string | null => {
    const [name, ...rest] = path.startsWith(folders) ? path.slice(folders.length).split('/') : [];
    return rest.length === 0 || name === 'tables' ? null : name;
  };
  const named = imports.filter(({ from, to }) => {
    const format = formatOf(to ?? '');
    return format !== null && formatOf(from.path) !== format;
  });
  assert.ok(named.length > 0, 'the registry imports them');
  assert.deepEqual(named.filter(({ from }) => from.path !== `${folders}registry.ts`).map(show), []); // biome-ignore format: one line
});

/** A folder of the operations is one; what several share is in `parts/`. */
function operationOf(path: string | null): string | null {
  const folders = 'packages/operations/src/';
  if (path === null || !path.startsWith(folders)) return null;
  const [name, ...rest] = path.slice(folders.length).split('/');
  return rest.length === 0 || name === 'parts' ? null : name;
}

test('operations know nothing of each other', () => {
  const wrong = imports.filter(({ from, to }) => {
    const [own, other] = [operationOf(from.path), operationOf(to)];
    if (own !== null && /\/src\/(?:registry|requested-steps)\.ts$/.test(to ?? '')) return true;
    const isWithin = from.workspace.name === '@geomill/operations';
    return other !== null && own !== other && isWithin && !from.path.endsWith('/src/registry.ts');
  });
  assert.deepEqual(wrong.map(show), []);
});

test('pure workspaces use nothing of Node.js', () => {
  const wrong = imports.filter(
    ({ from, specifier }) =>
      PURE.includes(from.workspace.name) && !OF_NODE.test(from.path) && specifier.startsWith('node:'),
  );
  const isPure = ({ path, workspace }: Source): boolean =>
    PURE.includes(workspace.name) && !OF_NODE.test(path);
  const using = sources.filter((source) => isPure(source) && GLOBALS_OF_NODE.test(source.text));
  assert.deepEqual([...wrong.map(show), ...using.map(({ path }) => path)], []);
});

test('foreign engines are touched in their own workspace only', () => {
  const wrong = imports.filter(({ from, specifier }) => {
    const owner = KEPT_TO[packageOf(specifier)];
    return owner !== undefined && ![owner].flat().includes(from.workspace.name);
  });
  assert.deepEqual(wrong.map(show), []);
});

/** What runs a conversion: the command and the service have it run by the library. */
const RUNS = ['inspect-job.ts', 'inspect.ts', 'run.ts'].map((name) => `packages/pipeline/src/${name}`);

test('only the library runs the pipeline', () => {
  const running = imports.filter(
    ({ from, to, isAtStart, isOnDemand }) =>
      from.workspace.name !== '@geomill/pipeline' && RUNS.includes(to ?? '') && (isAtStart || isOnDemand),
  );
  assert.ok(running.length > 0, 'the library imports them');
  assert.deepEqual(running.filter(({ from }) => from.workspace.name !== '@geomill/library').map(show), []); // biome-ignore format: one line
});

test('nobody but the settings and the entries of processes reads arguments and environment', () => {
  const readers = sources.filter(({ text }) => /\bprocess\.(?:argv|env)\b/.test(text));
  // A restart hands on what its process got.
  const may = [
    'apps/cli/src/main.ts',
    'apps/cli/src/restart.ts',
    'apps/service/src/jobs/runner-main.ts',
    'apps/service/src/settings/config.ts',
  ];
  assert.deepEqual(readers.map(({ path }) => path).filter((path) => !may.includes(path)), []); // biome-ignore format: one line
});

/** Every `...` among the arguments of a call, as "file: text"; rest parameters and literals are none. */
function spreadArguments({ path, text: code }: Source): string[] {
  const found: string[] = [];
  for (let at = code.indexOf('...'); at >= 0; at = code.indexOf('...', at + 3)) {
    if (/^\.{3}[\w$]+\s*:/.test(code.slice(at, at + 60)) || !/[\w$(#]/.test(code[at + 3] ?? '')) continue;
    let depth = 0;
    let opener = at - 1;
    for (; opener >= 0; opener--) {
      if (')]}'.includes(code[opener])) depth++;
      else if ('([{'.includes(code[opener]) && --depth < 0) break;
    }
    if (code[opener] !== '(') continue;
    // "(...values) =>" declares a parameter.
    if (/^\.{3}[\w$]+\s*\)\s*=>/.test(code.slice(at, at + 60))) continue;
    const lineStart = code.lastIndexOf('\n', at) + 1;
    found.push(`${path}: ${code.slice(lineStart, code.indexOf('\n', at)).trim()}`);
  }
  return found;
}

/** Lists whose length our own code fixes. */
const SHORT_SPREADS = [
  /^packages\/core\/src\/messages\/message\.ts: .*\.\.\.param\)/, // parts of a phrase
  /^packages\/expressions\/src\/function\.ts: .*\.\.\.\(values /, // arguments of a function of CQL2
  /^packages\/formats\/src\/csv\/open\.ts: .*\.\.\.head\.subarray\(0, 16\)/,
  /^packages\/engines\/(?:proj\/src\/guard|geos\/src\/native)\.ts: .*\.\.\.(?:args|values)\)/, // arguments of a C function
  /^packages\/(?:engines\/sqlite\/src\/[\w-]+|platform\/src\/browser\/sqlite)\.ts: .*\.\.\.values\)/, // parameters of an SQL statement
  /^packages\/formats\/src\/dxf\/writing\/drawing-(?:head|tail)\.ts: pointLines\(\d+, \.\.\.(?:min|max)\)/, // one position
];

/** Runs in the process of a job. */
const isJobSide = ({ path }: Source): boolean =>
  path.startsWith('packages/') && !/^packages\/(?:client|crs-search)\//.test(path);

// A call takes its arguments on the stack: a list as long as an input likes ends the job, or the service.
test('lists of any length are not spread into the arguments of a call', () => {
  const all = sources.filter(isJobSide).flatMap(spreadArguments);
  assert.ok(all.length > 0, 'the rule finds spreads');
  assert.deepEqual(all.filter((line) => !SHORT_SPREADS.some((pattern) => pattern.test(line))), []); // biome-ignore format: one line
});

// The sandboxes of runners have no /proc, where Node.js reads the memory and the limits of its process.
test('what runs in a sandbox does not ask for what is read from /proc', () => {
  const asks = /\bmemoryUsage\b|\bavailableMemory\b|\bconstrainedMemory\b|\/proc\//;
  const asking = sources.filter((source) => isJobSide(source) && asks.test(source.text));
  assert.deepEqual(asking.map(({ path }) => path), []); // biome-ignore format: one line
});

test('errors and findings name settings that there are', () => {
  const known = new Set<string>(Object.values(settings).map(({ name }) => name));
  const named = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/setting: '([A-Z][A-Z_]+)'/g)].map(([, name]) => ({ path, name })),
  );
  assert.ok(named.length > 5, 'settings are named');
  assert.deepEqual(named.filter(({ name }) => !known.has(name)), []); // biome-ignore format: one line
});

// A circle of types is no fault while it runs, but its files can only be understood together. Files loaded on demand find the others complete.
test('no file imports itself by a detour, not even types', () => {
  const targets = new Map<string, string[]>();
  for (const { from, to, isOnDemand } of imports)
    if (to !== null && !isOnDemand) targets.set(from.path, [...(targets.get(from.path) ?? []), to]);
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
    if (done.has(path) || trail.includes(path)) return;
    for (const next of targets.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const { path } of sources) visit(path, []);
  assert.deepEqual(cycles, []);
});

/** How many files deep a reader of the pipeline has to go at the most. Types that several levels name are in files that import none of them. */
const PIPELINE_LEVELS = 12;

test(`the pipeline has at most ${PIPELINE_LEVELS} levels, also by types`, () => {
  const folder = 'packages/pipeline/src/';
  const targets = new Map<string, string[]>();
  for (const { from, to, isOnDemand } of imports)
    if (to?.startsWith(folder) && from.path.startsWith(folder) && !isOnDemand)
      targets.set(from.path, [...(targets.get(from.path) ?? []), to]);
  const longest = new Map<string, readonly string[]>();
  const longestFrom = (path: string): readonly string[] => {
    const known = longest.get(path);
    if (known !== undefined) return known;
    longest.set(path, []);
    const below = (targets.get(path) ?? []).map(longestFrom);
    const found = [path, ...(below.toSorted((a, b) => b.length - a.length).at(0) ?? [])];
    longest.set(path, found);
    return found;
  };
  const paths = [...targets.keys()].map(longestFrom);
  assert.ok(paths.length > 50, 'the files were found');
  assert.deepEqual(paths.filter(({ length }) => length > PIPELINE_LEVELS), []); // biome-ignore format: one line
});

test('no file only passes on what others export', () => {
  const barrels = sources.filter(({ text }) => {
    const statements = text.split(';');
    const said = statements.map((statement) => statement.trim()).filter((statement) => statement !== '');
    return said.length > 0 && said.every((statement) => /^export\b[^=]*\bfrom\b/.test(statement));
  });
  assert.deepEqual(barrels.map(({ path }) => path), []); // biome-ignore format: one line
});

test('no file is named after nothing in particular', () => {
  const names = sources.map(({ path }) => basename(path, '.ts'));
  assert.deepEqual(names.filter((name) => /^(?:utils?|helpers?|common|misc|shared|index)$/.test(name)), []); // biome-ignore format: one line
});

test('the workspace imports the client, the library, and the code of a step that it previews', () => {
  const web = workspaces.find(({ name }) => name === '@geomill/web');
  const ours = Object.keys(web?.devDependencies ?? {}).filter((name) => name.startsWith('@geomill/'));
  assert.deepEqual(ours, ['@geomill/client', '@geomill/library', '@geomill/operations']);
  const ofSteps = imports.filter(
    ({ from, to }) => from.workspace === web && to?.startsWith('packages/operations/'),
  );
  // Without engines: the page itself compiles no WebAssembly.
  assert.deepEqual(
    [...new Set(ofSteps.map(({ to }) => to))],
    ['packages/operations/src/simplify/simplify-rings.ts'],
  );
});
