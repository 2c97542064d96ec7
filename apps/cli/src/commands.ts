/** All commands. Their modules are loaded only when they are needed. */
import { existsSync } from 'node:fs';
import type { GeomillError } from '@geomill/core/messages/errors.ts';
import type { FieldForm } from '@geomill/core/messages/message.ts';
import { packageVersion } from '@geomill/platform/package-version.ts';
import type { Config } from '@geomill/service/settings/config.ts';
import type { Flags } from './arguments.ts';
import type { ExitStatus } from './exit-status.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface CommandModule {
  /** How errors refer to fields of a request; missing: by flags. */
  readonly errorForm?: FieldForm;
  /** The text of `--help`. */
  usage(): string;
  /** The exit status of an error. Default: that of all commands. */
  statusOf?(error: GeomillError): ExitStatus;
  flags(): Flags;
  /** Resolves with the exit status. `environment`: variables that are no settings. Throws GeomillError. */
  run(argv: readonly string[], config: Config, environment: Environment): Promise<number>;
}

export interface Command {
  /** One line for the list of commands. */
  readonly text: string;
  /** Values that the first argument can have. Default: it is a file. */
  readonly words?: () => Promise<readonly string[]>;
  readonly load: () => Promise<CommandModule>;
}

export const commands: Readonly<Record<string, Command>> = {
  convert: { text: 'convert a file: geomill convert IN OUT', load: () => import('./convert.ts') },
  append: {
    text: 'append files to a target: geomill append TARGET FILE... --out OUT',
    load: () => import('./append.ts'),
  },
  merge: {
    text: 'merge the geometries of files: geomill merge FILE... --out OUT',
    load: () => import('./merge.ts'),
  },
  run: {
    text: 'run a document with inputs, steps and outputs: geomill run JOB.json',
    load: () => import('./run.ts'),
  },
  plan: {
    text: 'divide a conversion into parts: geomill plan IN OUT --parts N --work DIR',
    load: () => import('./plan.ts'),
  },
  part: { text: 'run a part of a plan: geomill part WORK --index I', load: () => import('./part.ts') },
  join: { text: 'write the output of a plan: geomill join WORK', load: () => import('./join.ts') },
  divide: {
    text: 'print a script that runs the parts: geomill divide IN OUT --parts N --work DIR --on slurm',
    load: () => import('./divide.ts'),
  },
  submit: {
    text: 'convert a file as a job of a service: geomill submit URL IN OUT',
    words: async () => ['http://127.0.0.1:8080'],
    load: () => import('./submit.ts'),
  },
  info: { text: 'describe a file: geomill info FILE', load: () => import('./info.ts') },
  crs: {
    text: 'search coordinate reference systems: geomill crs QUERY',
    load: () => import('./crs.ts'),
  },
  formats: { text: 'list the formats: geomill formats', load: () => import('./formats.ts') },
  help: {
    text: 'describe a command, a format or a transformation: geomill help buffer',
    words: async () => (await import('./help.ts')).topics(),
    load: () => import('./help.ts'),
  },
  completions: {
    text: 'print completions of a shell: geomill completions bash',
    words: async () => (await import('./completions.ts')).SHELLS,
    load: () => import('./completions.ts'),
  },
  serve: {
    text: 'run the service; environment variables configure it',
    load: () => import('./serve.ts'),
  },
  keys: {
    text: 'create, list and revoke keys: geomill keys create',
    words: async () => ['create', 'list', 'revoke'],
    load: () => import('./keys.ts'),
  },
  users: {
    text: 'manage the users who may sign in: geomill users create --admin EMAIL',
    words: async () => ['create', 'list', 'reset', 'disable', 'enable'],
    load: () => import('./users.ts'),
  },
  doctor: {
    text: 'check a data directory and say what to do: geomill doctor',
    load: () => import('./doctor.ts'),
  },
  backup: { text: 'back up the data directory: geomill backup DIR', load: () => import('./backup.ts') },
  restore: {
    text: 'put a backup into the data directory: geomill restore DIR',
    load: () => import('./restore.ts'),
  },
  'migrate-store': {
    text: 'move a stopped service to PostgreSQL and to another store: geomill migrate-store',
    load: () => import('./migrate-store.ts'),
  },
  'signing-keys': {
    text: 'rotate and list the keys that sign access tokens: geomill signing-keys rotate',
    words: async () => ['rotate', 'list'],
    load: () => import('./signing-keys.ts'),
  },
};

/** What other programs call the commands, and what people try first. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ogr2ogr: 'convert',
  translate: 'convert',
  transform: 'convert',
  export: 'convert',
  reproject: 'convert',
  batch: 'convert',
  ogrmerge: 'merge',
  union: 'merge',
  combine: 'merge',
  ogrinfo: 'info',
  inspect: 'info',
  describe: 'info',
  show: 'info',
  ls: 'info',
  list: 'info',
  epsg: 'crs',
  search: 'crs',
  projinfo: 'crs',
  gdalsrsinfo: 'crs',
  server: 'serve',
  start: 'serve',
};

/** What an unknown command probably means, as a clause; empty if nothing is like it. */
export async function commandHint(name: string): Promise<string> {
  const other = Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name] : undefined;
  if (other !== undefined) return ` (did you mean '${other}'?)`;
  if (existsSync(name)) return `; to convert a file: geomill convert ${name} OUT`;
  const { didYouMean } = await import('@geomill/core/messages/did-you-mean.ts');
  return didYouMean(name, Object.keys(commands));
}

/** The list of commands. */
export function overview(): string {
  const lines = Object.entries(commands).map(([name, { text }]) => `  ${name.padEnd(14)}${text}`);
  return `geomill ${packageVersion()} converts vector geodata.

Usage: geomill <command> [arguments]

${lines.join('\n')}
  version       print the version

'geomill <command> --help' describes a command.
`;
}
