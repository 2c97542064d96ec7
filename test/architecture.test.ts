/**
 * Who may import whom: the rules of the house, so that a newcomer can trust the folder tree. A new room is a new line
 * in ROOMS; a rule that is in the way is to be discussed, not worked around.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix, sep } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { settings } from '../src/config.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Room {
  /** Rooms, or single files of rooms, that may be imported. */
  readonly may: readonly string[];
  /** Pure rooms run anywhere: nothing of Node in them. */
  readonly isPure?: true;
}

/** A room that may raise errors may also write their texts. */
const ERRORS = [
  'errors.ts',
  'general-errors.ts',
  'catalogue-entries.ts',
  'message.ts',
  'short-text.ts',
  'did-you-mean.ts',
];
const MESSAGES = [...ERRORS, 'finding-rows.ts', 'findings.ts', 'general-findings.ts'];
const DATA = ['batch', 'bytes', 'crs', 'sphere'];
const FORMAT: Room = {
  may: [
    ...MESSAGES,
    ...DATA,
    'catalogue-entries.ts',
    'io',
    'formats/errors.ts',
    'formats/findings.ts',
    'formats/format.ts',
    'formats/coordinate-digits.ts',
    'formats/counted-parts.ts',
    'formats/digit-options.ts',
    'formats/ordinate-writer.ts',
    'formats/recognise.ts',
    'formats/single-kind.ts',
    'tables',
    'formats/assumed-degrees.ts',
    'formats/property-rules.ts',
    'formats/xml-document.ts',
    'formats/xml-value-writer.ts',
    'formats/xsd-values.ts',
  ],
};
const ENGINE: Room = { may: [...MESSAGES, 'batch', 'crs', 'io'] };
/** What an interface (HTTP, command line) needs to know of formats and transformations: the records. */
const RECORDS = [
  'formats/errors.ts',
  'formats/findings.ts',
  'formats/format.ts',
  'formats/format-by-id.ts',
  'formats/options.ts',
  'formats/option-text.ts',
  'formats/recognise.ts',
  'formats/registry.ts',
  'transformations',
];

const ROOMS: Readonly<Record<string, Room>> = {
  'short-text.ts': { may: [], isPure: true },
  'did-you-mean.ts': { may: [], isPure: true },
  'message.ts': { may: ['short-text.ts'], isPure: true },
  'catalogue-entries.ts': { may: [], isPure: true },
  'general-errors.ts': { may: ['catalogue-entries.ts'], isPure: true },
  'general-findings.ts': { may: ['catalogue-entries.ts'], isPure: true },
  'errors.ts': {
    may: ['message.ts', 'short-text.ts', 'catalogue-entries.ts', 'general-errors.ts'],
    isPure: true,
  },
  'finding-rows.ts': { may: [], isPure: true },
  'findings.ts': {
    may: [...ERRORS, 'finding-rows.ts'],
    isPure: true,
  },
  'program-files.ts': { may: [] },
  'timers.ts': { may: [], isPure: true },
  // Between the service and the processes that it does not trust.
  'process-channel.ts': { may: [] },
  tracing: { may: ['errors.ts', 'timers.ts'] },
  // The only user of Ajv.
  'schema-accept.ts': { may: [], isPure: true },
  'schema-check.ts': { may: ['schema-accept.ts'] },
  'message-schemas.ts': { may: ['catalogue.ts', ...MESSAGES, 'schema-check.ts'], isPure: true },
  bytes: { may: ['errors.ts'], isPure: true },
  crs: { may: ERRORS, isPure: true },
  batch: { may: [...MESSAGES, 'bytes'], isPure: true },
  // Longitudes and latitudes as positions on a sphere: the antimeridian and the poles.
  sphere: { may: [...MESSAGES, 'batch', 'crs'], isPure: true },
  io: { may: [...MESSAGES, 'bytes'] },
  'engines/proj': ENGINE,
  'engines/geos': ENGINE,
  'engines/sqlite': ENGINE,
  'engines/postgres': ENGINE,
  'formats/errors.ts': { may: ['catalogue-entries.ts'], isPure: true },
  'formats/findings.ts': { may: ['catalogue-entries.ts'], isPure: true },
  // Collects the tables of all modules.
  'catalogue.ts': {
    may: [
      'requests/errors.ts',
      'requests/findings.ts',
      'catalogue-entries.ts',
      ...[
        'account-area',
        'accounts',
        'cli',
        'crs-search',
        'engines/postgres',
        'http',
        'jobs',
        'maintenance',
        'remote-input',
        'storage',
      ].flatMap((room) => [`${room}/errors.ts`, `${room}/findings.ts`]),
      'pipeline/catalogue.ts',
    ],
  },
  'formats/format.ts': { may: [...MESSAGES, ...DATA, 'catalogue-entries.ts', 'io'] },
  'formats/coordinate-digits.ts': {
    may: [
      'formats/errors.ts',
      'formats/findings.ts',
      ...MESSAGES,
      ...DATA,
      'formats/digit-options.ts',
      'formats/format.ts',
    ],
  },
  'formats/counted-parts.ts': { may: ['formats/format.ts'] },
  'formats/digit-options.ts': { may: [], isPure: true },
  'formats/ordinate-writer.ts': {
    may: ['formats/errors.ts', 'formats/findings.ts', ...MESSAGES, ...DATA],
    isPure: true,
  },
  'formats/option-text.ts': { may: [], isPure: true },
  'formats/property-rules.ts': {
    may: ['formats/errors.ts', 'formats/findings.ts', ...MESSAGES, 'batch', 'io'],
  },
  'formats/assumed-degrees.ts': { may: [...ERRORS, ...DATA, 'io', 'formats/format.ts'] },
  'formats/single-kind.ts': { may: ['formats/errors.ts', 'formats/findings.ts', ...MESSAGES, 'batch'] },
  'formats/xml-document.ts': {
    may: [
      'formats/errors.ts',
      'formats/findings.ts',
      ...ERRORS,
      'bytes',
      'io',
      'formats/format.ts',
      'formats/recognise.ts',
    ],
  },
  'formats/xsd-values.ts': { may: [], isPure: true },
  'formats/xml-value-writer.ts': { may: ['batch', 'bytes', 'finding-rows.ts'], isPure: true },
  'formats/options.ts': { may: ['errors.ts', 'schema-check.ts', 'formats/format.ts'] },
  'formats/registry.ts': { may: ['formats/format.ts', 'formats/*'] },
  'formats/format-by-id.ts': {
    may: [
      'formats/errors.ts',
      'formats/findings.ts',
      ...ERRORS,
      'formats/format.ts',
      'formats/recognise.ts',
      'formats/registry.ts',
    ],
  },
  'formats/foreign-formats.ts': { may: ['formats/format.ts'], isPure: true },
  'formats/recognise.ts': {
    may: ['formats/format.ts', 'formats/foreign-formats.ts', 'formats/registry.ts'],
  },
  // Tables with positions in columns, for the formats that are tables.
  tables: {
    may: [
      'formats/errors.ts',
      'formats/findings.ts',
      ...MESSAGES,
      ...DATA,
      'io',
      'formats/format.ts',
      'formats/recognise.ts',
    ],
  },
  'formats/gpkg': { may: [...FORMAT.may, 'engines/sqlite'] },
  expressions: { may: [...MESSAGES, ...DATA, 'engines/geos'] },
  transformations: { may: [...MESSAGES, 'schema-check.ts', ...DATA, 'engines/geos', 'expressions'] },
  pipeline: {
    may: [
      ...MESSAGES,
      'engines/geos/errors.ts',
      'engines/sqlite/errors.ts',
      'tables/errors.ts',
      'tables/findings.ts',
      ...DATA,
      'program-files.ts',
      'io',
      'engines/proj',
      ...RECORDS,
    ],
  },
  // Reads PROJ's database, never loads PROJ: it lives in the HTTP process.
  'crs-search': {
    may: ['errors.ts', 'program-files.ts', 'engines/sqlite', 'engines/proj/database-path.ts'],
  },
  // Starts processes in sandboxes; knows nothing of what they do.
  sandbox: { may: ['errors.ts', 'program-files.ts'] },
  storage: { may: ['errors.ts', 'io', 'sandbox'] },
  // Most of it runs in a process of its own, which may read the program.
  'remote-input': {
    may: [
      ...ERRORS,
      'process-channel.ts',
      'program-files.ts',
      'message-schemas.ts',
      'bytes',
      'sandbox',
      'timers.ts',
      // Whether a file shows its end.
      'formats/recognise.ts',
    ],
  },
  // The queue is kept in SQLite or PostgreSQL; jobs may open it through the engine, never by itself.
  jobs: {
    may: [
      'requests',
      'catalogue.ts',
      ...MESSAGES,
      'machine.ts',
      'package-version.ts',
      'process-channel.ts',
      'program-files.ts',
      'message-schemas.ts',
      'crs',
      'io',
      'pipeline',
      'formats/registry.ts',
      'storage',
      'tracing',
      'engines/sqlite',
      'engines/postgres',
      'remote-input',
      'sandbox',
      'timers.ts',
    ],
  },
  accounts: { may: ['errors.ts', 'engines/sqlite', 'engines/postgres'] },
  // Pages and the library behind them. Of HTTP it takes what knows nothing of jobs.
  'account-area': {
    may: ['errors.ts', 'accounts', 'html.ts', 'page-style', 'http/send-static.ts'],
  },
  // Pages for browsers in front of the job API, with the sessions of the account area.
  'convert-pages': {
    may: [
      'requests',
      ...ERRORS,
      ...RECORDS,
      'html.ts',
      'package-version.ts',
      'program-files.ts',
      'accounts',
      'account-area',
      'http',
      'jobs',
    ],
  },
  // The design of all pages.
  'page-style': { may: [], isPure: true },
  // What operators do to a data directory from the command line; knows all that is kept in one.
  maintenance: {
    may: [
      'errors.ts',
      'capacity.ts',
      'engines/sqlite',
      'engines/postgres',
      'io/temporary-directory.ts',
      'accounts',
      'jobs',
      'sandbox',
      'storage',
    ],
  },
  http: {
    may: [
      'requests',
      'catalogue.ts',
      'pipeline/errors.ts',
      ...MESSAGES,
      ...RECORDS,
      'config.ts',
      'html.ts',
      'timers.ts',
      'page-style',
      'package-version.ts',
      'schema-check.ts',
      'bytes',
      'crs',
      'crs-search',
      'jobs',
      'engines/postgres/observer.ts',
      'tracing',
      'remote-input',
      'storage',
      'accounts',
      // Words of the trade, not the machine: the HTTP process never parses user data.
      'pipeline/request.ts',
      'pipeline/report.ts',
      'pipeline/report-document.ts',
      'pipeline/split-request.ts',
    ],
  },
  'logger.ts': { may: ['short-text.ts', 'accounts/secret-text.ts'] },
  'input-limits.ts': { may: ['config.ts', 'io/limits.ts'] },
  'account-jobs.ts': {
    may: ['catalogue.ts', ...MESSAGES, 'account-area', 'http', 'jobs', 'pipeline/report-document.ts'],
  },
  // Configs and job documents.
  requests: {
    may: [
      ...MESSAGES,
      ...RECORDS,
      'schema-check.ts',
      'crs',
      'pipeline/errors.ts',
      'pipeline/request.ts',
      'pipeline/split-request.ts',
    ],
  },
  // The composition root of the service.
  'service.ts': {
    may: [
      'errors.ts',
      ...RECORDS,
      'config.ts',
      'logger.ts',
      'timers.ts',
      'input-limits.ts',
      'account-jobs.ts',
      'package-version.ts',
      'engines/postgres/database.ts',
      'engines/sqlite/database-failure.ts',
      'pipeline/request.ts',
      'pipeline/split-request.ts',
      'crs-search',
      'jobs',
      'remote-input',
      'sandbox',
      'storage',
      'tracing',
      'account-area',
      'convert-pages',
      'http',
    ],
  },
  cli: {
    may: [
      'requests',
      'catalogue.ts',
      'machine.ts',
      'crs-search',
      ...MESSAGES,
      ...RECORDS,
      'bytes/json-syntax.ts',
      'config.ts',
      'input-limits.ts',
      'service.ts',
      'package-version.ts',
      'program-files.ts',
      'crs',
      'io',
      'pipeline',
      'jobs',
      'remote-input',
      'storage/open-store.ts',
      'engines/postgres/database.ts',
      'accounts',
      'account-area',
      'maintenance',
      // geomill submit is a program that uses the client.
      'client',
      'client-node',
    ],
  },
  // For others to import: they know the service by its address alone.
  client: { may: [], isPure: true },
  'client-node': { may: ['client'] },
  'setting-values.ts': { may: ['errors.ts'] },
  'machine.ts': { may: [] },
  'package-version.ts': { may: ['program-files.ts'] },
  'html.ts': { may: [], isPure: true },
  'capacity.ts': { may: ['machine.ts'] },
  'config-checks.ts': { may: ['errors.ts', 'setting-values.ts'] },
  'config.ts': { may: ['config-checks.ts', 'setting-values.ts', 'machine.ts', 'capacity.ts'] },
  'main.ts': { may: ['errors.ts', 'did-you-mean.ts', 'config.ts', 'package-version.ts', 'cli'] },
};

/** Packages and modules that only one room may touch. */
const KEPT_TO: Readonly<Record<string, string>> = {
  'proj-wasm': 'engines/proj',
  'geos-wasm': 'engines/geos',
  'node:sqlite': 'engines/sqlite',
  'ajv/dist/2020.js': 'schema-check.ts',
  jose: 'accounts',
  'better-auth': 'account-area',
  'better-auth/crypto': 'account-area',
  'better-auth/db/migration': 'account-area',
  'better-auth/plugins/generic-oauth': 'account-area',
};

interface Import {
  readonly from: string;
  /** Path within src for our own files, else the specifier. */
  readonly to: string;
  readonly isOurs: boolean;
  /** Loaded together with the file: neither a mere type nor loaded on demand. */
  readonly isAtStart: boolean;
}

const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
  .map((path) => ({ path, text: readFileSync(join(ROOT, 'src', path), 'utf8') }));

const imports: Import[] = sources.flatMap(({ path, text }) =>
  specifiersOf(text).map(({ specifier, isAtStart }) => {
    const isOurs = specifier.startsWith('.');
    const to = isOurs ? posix.join(dirname(path), specifier) : specifier;
    return { from: path, to, isOurs, isAtStart };
  }),
);

function specifiersOf(text: string): { specifier: string; isAtStart: boolean }[] {
  const code = withoutComments(text);
  const find = (isAtStart: boolean, pattern: RegExp) =>
    [...code.matchAll(pattern)].map((match) => ({ specifier: match[1], isAtStart }));
  return [
    ...find(true, /^(?:import|export)\s(?!type\b)[^;'"]*?\bfrom\s+'([^']+)'/gm),
    ...find(true, /^import\s+'([^']+)'/gm),
    ...find(false, /^(?:import|export)\s+type\b[^;'"]*?\bfrom\s+'([^']+)'/gm),
    ...find(false, /\bimport\(\s*'([^']+)'\s*\)/g),
    ...find(false, /\bimport\.meta\.resolve\(\s*'([^']+)'\s*\)/g),
    ...find(false, /\bnew URL\(\s*'(\.[^']+\.ts)',\s*import\.meta\.url\s*\)/g),
  ];
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

/** `formats/<id>` and `engines/<id>` are rooms of their own; else the first folder, or the file at the top. */
function roomOf(path: string): string {
  const parts = path.split('/');
  return parts[0] === 'formats' || parts[0] === 'engines' ? parts.slice(0, 2).join('/') : parts[0];
}

/** The folders of formats share one rule; those that need more have their own. */
function ruleOf(path: string): Room | undefined {
  const room = roomOf(path);
  return ROOMS[room] ?? (/^formats\/[^/.]+$/.test(room) ? FORMAT : undefined);
}

function isAllowed({ from, to }: Import): boolean {
  const target = roomOf(to);
  if (roomOf(from) === target) return true;
  const listed = ruleOf(from)?.may ?? [];
  const may = listed.includes('errors.ts') ? [...listed, ...ERRORS] : listed;
  return may.some((allowed) =>
    allowed.endsWith('/*') ? target.startsWith(allowed.slice(0, -1)) : allowed === target || allowed === to,
  );
}

const show = ({ from, to }: Import): string => `${from} imports ${to}`;

test('every file stands in a room', () => {
  const homeless = sources.map(({ path }) => path).filter((path) => ruleOf(path) === undefined);
  assert.deepEqual(homeless, []);
});

test('rooms import only what they may', () => {
  assert.ok(imports.length > 100, 'the imports were found');
  const wrong = imports.filter((one) => one.isOurs && ruleOf(one.from) !== undefined && !isAllowed(one));
  assert.deepEqual(wrong.map(show), []);
});

test("a format's folder is imported by name from the registry only", () => {
  const formatOf = (path: string): string | null => /^formats\/([^/.]+)\//.exec(path)?.[1] ?? null;
  const named = imports.filter(({ from, to }) => formatOf(to) !== null && formatOf(from) !== formatOf(to));
  assert.ok(named.length > 0, 'the registry imports them');
  assert.deepEqual(named.filter(({ from }) => from !== 'formats/registry.ts').map(show), []); // biome-ignore format: one line
});

/** `buffer.ts` and all of `buffer/` are one transformation; what several share is in `parts/`. */
function transformationOf(path: string): string | null {
  const [room, name] = path.split('/');
  const shared = [
    'errors.ts',
    'findings.ts',
    'parts',
    'registry.ts',
    'requested-steps.ts',
    'transformation.ts',
  ];
  return room !== 'transformations' || shared.includes(name) ? null : name.replace(/\.ts$/, '');
}

test('transformations know nothing of each other', () => {
  const wrong = imports.filter(({ from, to }) => {
    const [own, other] = [transformationOf(from), transformationOf(to)];
    if (own !== null && /^transformations\/(?:registry|requested-steps)\.ts$/.test(to)) return true;
    return (
      other !== null && own !== other && roomOf(from) === 'transformations' && !from.endsWith('registry.ts')
    );
  });
  assert.deepEqual(wrong.map(show), []);
});

test('every import of our own names an existing file with its ending', () => {
  // Made by the build, into dist: see scripts/client-types.ts.
  const generated = 'client/openapi-types.ts';
  const missing = imports.filter(
    ({ to, isOurs }) => isOurs && to !== generated && !existsSync(join(ROOT, 'src', to)),
  );
  assert.deepEqual(missing.map(show), []);
});

test('pure rooms use nothing of Node', () => {
  const wrong = imports.filter(({ from, to }) => ruleOf(from)?.isPure && to.startsWith('node:'));
  assert.deepEqual(wrong.map(show), []);
});

test('foreign engines are touched in their own room only', () => {
  const wrong = imports.filter(({ from, to }) => KEPT_TO[to] !== undefined && KEPT_TO[to] !== roomOf(from));
  assert.deepEqual(wrong.map(show), []);
});

test('nobody but config.ts and the entries of processes reads arguments and environment', () => {
  const readers = sources.filter(({ text }) => /\bprocess\.(?:argv|env)\b/.test(withoutComments(text)));
  // A restart hands on what its process got.
  const may = ['config.ts', 'main.ts', 'cli/restart.ts', 'jobs/runner-main.ts'];
  const others = readers.map(({ path }) => path).filter((path) => !may.includes(path));
  assert.deepEqual(others, []);
});

/** Every `...` among the arguments of a call, as "file: text"; rest parameters and literals are none. */
function spreadArguments(path: string, text: string): string[] {
  const code = withoutComments(text);
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
  /^src\/formats\/csv\/open\.ts: .*\.\.\.head\.subarray\(0, 16\)/,
  /^src\/engines\/(?:proj\/guard|geos\/native)\.ts: .*\.\.\.(?:args|values)\)/, // arguments of a C function
  /^src\/engines\/sqlite\/[\w-]+\.ts: .*\.\.\.values\)/, // parameters of an SQL statement
  /^src\/formats\/dxf\/writing\/drawing-(?:head|tail)\.ts: pointLines\(\d+, \.\.\.(?:min|max)\)/, // one position
];

// A call takes its arguments on the stack: a list as long as an input likes ends the job, or the service.
test('lists of any length are not spread into the arguments of a call', () => {
  const isJobSide = (path: string): boolean =>
    /^(?:batch|bytes|crs|engines|formats|io|pipeline|sphere|transformations)\//.test(path);
  const all = sources
    .filter(({ path }) => isJobSide(path))
    .flatMap(({ path, text }) => spreadArguments(`src/${path}`, text));
  assert.ok(all.length > 0, 'the rule finds spreads');
  assert.deepEqual(all.filter((line) => !SHORT_SPREADS.some((pattern) => pattern.test(line))), []); // biome-ignore format: one line
});

// The sandboxes of runners have no /proc, where Node.js reads the memory and the limits of its process.
test('what runs in a sandbox does not ask for what is read from /proc', () => {
  const isJobSide = ({ path }: { readonly path: string }): boolean =>
    /^(?:batch|bytes|crs|engines|expressions|formats|io|pipeline|sphere|tables|transformations)\//.test(path);
  const asks = /\bmemoryUsage\b|\bavailableMemory\b|\bconstrainedMemory\b|\/proc\//;
  const asking = sources.filter((source) => isJobSide(source) && asks.test(withoutComments(source.text)));
  assert.deepEqual(asking.map(({ path }) => path), []); // biome-ignore format: one line
});

test('errors and findings name settings that there are', () => {
  const known = new Set<string>(Object.values(settings).map(({ name }) => name));
  const named = sources.flatMap(({ path, text }) =>
    [...withoutComments(text).matchAll(/setting: '([A-Z][A-Z_]+)'/g)].map(([, name]) => ({ path, name })),
  );
  assert.ok(named.length > 5, 'settings are named');
  assert.deepEqual(named.filter(({ name }) => !known.has(name)), []); // biome-ignore format: one line
});

// Types are erased and lazily loaded files find the others complete, so neither can meet a half-made module.
test('no file imports itself by a detour', () => {
  const targets = new Map<string, string[]>();
  for (const { from, to, isOurs, isAtStart } of imports)
    if (isOurs && isAtStart) targets.set(from, [...(targets.get(from) ?? []), to]);
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

test('no file only passes on what others export', () => {
  const barrels = sources.filter(({ text }) => {
    const statements = withoutComments(text).split(';');
    const said = statements.map((statement) => statement.trim()).filter((statement) => statement !== '');
    return said.length > 0 && said.every((statement) => /^export\b[^=]*\bfrom\b/.test(statement));
  });
  assert.deepEqual(barrels.map(({ path }) => path), []); // biome-ignore format: one line
});

test('no file is named after nothing in particular', () => {
  const names = sources.map(({ path }) => basename(path, '.ts'));
  assert.deepEqual(names.filter((name) => /^(?:utils?|helpers?|common|misc|shared|index)$/.test(name)), []); // biome-ignore format: one line
});

test('the workspace imports the client, and nothing else of the service', () => {
  const web = join(ROOT, 'web');
  const files = readdirSync(web, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:m?[jt]sx?)$/.test(path) && !/(?:^|[\\/])node_modules[\\/]/.test(path))
    .map((path) => join(web, path));
  assert.ok(files.length > 0);
  const outside = files.flatMap((file) =>
    specifiersOf(readFileSync(file, 'utf8'))
      .map(({ specifier }) => (specifier.startsWith('.') ? join(dirname(file), specifier) : web))
      .filter((path) => !path.startsWith(web) && !path.startsWith(join(ROOT, 'src', 'client') + sep)),
  );
  assert.deepEqual(outside, []);
});
