/** The entrance: `geomill <command>`. Loads only what the command needs. */
import { type Config, readConfig } from './config.ts';
import { asGeomillError, type GeomillError } from './errors.ts';
import { packageVersion } from './package-version.ts';

interface Command {
  readonly text: string;
  readonly load: () => Promise<{ run(argv: readonly string[], config: Config): Promise<number> }>;
}

const commands: Readonly<Record<string, Command>> = {
  convert: { text: 'convert a file: geomill convert IN OUT', load: () => import('./cli/convert.ts') },
  append: {
    text: 'append files to a target: geomill append TARGET FILE... --out OUT',
    load: () => import('./cli/append.ts'),
  },
  merge: {
    text: 'merge the geometries of files: geomill merge FILE... --out OUT',
    load: () => import('./cli/merge.ts'),
  },
  info: { text: 'describe a file: geomill info FILE', load: () => import('./cli/info.ts') },
  crs: {
    text: 'search coordinate reference systems: geomill crs QUERY',
    load: () => import('./cli/crs.ts'),
  },
  serve: {
    text: 'run the service; environment variables configure it',
    load: () => import('./cli/serve.ts'),
  },
  keys: { text: 'create, list and revoke keys: geomill keys create', load: () => import('./cli/keys.ts') },
  users: {
    text: 'manage the users who may sign in: geomill users create --admin EMAIL',
    load: () => import('./cli/users.ts'),
  },
  doctor: {
    text: 'check a data directory and say what to do: geomill doctor',
    load: () => import('./cli/doctor.ts'),
  },
  backup: { text: 'back up the data directory: geomill backup DIR', load: () => import('./cli/backup.ts') },
  restore: {
    text: 'put a backup into the data directory: geomill restore DIR',
    load: () => import('./cli/restore.ts'),
  },
  'signing-keys': {
    text: 'rotate and list the keys that sign access tokens: geomill signing-keys rotate',
    load: () => import('./cli/signing-keys.ts'),
  },
};

/** Documented in docs/cli.md. */
const EXIT = { userFault: 1, usage: 2, ourFault: 3, interrupted: 130 } as const;

async function main(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  if (name === 'version' || name === '--version') {
    process.stdout.write(`${packageVersion()}\n`);
    return 0;
  }
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    (name === undefined ? process.stderr : process.stdout).write(help());
    return name === undefined ? EXIT.usage : 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const { didYouMean } = await import('./did-you-mean.ts');
    const hint = didYouMean(name, Object.keys(commands));
    process.stderr.write(`geomill: unknown command '${name}'${hint}\n\n${help()}`);
    return EXIT.usage;
  }
  return (await command.load()).run(rest, readConfig(process.env));
}

function help(): string {
  const lines = Object.entries(commands).map(([name, { text }]) => `  ${name.padEnd(14)}${text}`);
  return `geomill ${packageVersion()} converts vector geodata.

Usage: geomill <command> [arguments]

${lines.join('\n')}
  help          print this text; 'geomill <command> --help' describes a command
  version       print the version
`;
}

// npm runs scripts in the package's directory; names on a command line mean the directory where it was typed.
if (process.env.npm_lifecycle_event === 'geomill' && process.env.INIT_CWD !== undefined)
  process.chdir(process.env.INIT_CWD);

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (thrown) {
  const error = asGeomillError(thrown);
  const { errorLine, suggestionLines } = await import('./cli/wording.ts');
  process.stderr.write(`geomill: ${errorLine(error)}\n${suggestionLines(error)}`);
  // A stack trace does not help if a setting or file is wrong.
  if (error.code === 'INTERNAL' && error.cause instanceof Error)
    process.stderr.write(`${error.cause.stack}\n`);
  process.exitCode = exitCode(error);
}

function exitCode({ code, fault }: GeomillError): number {
  if (code === 'CANCELLED') return EXIT.interrupted;
  if (code === 'USAGE' || code === 'SETTING_INVALID') return EXIT.usage;
  return fault === 'user' ? EXIT.userFault : EXIT.ourFault;
}
