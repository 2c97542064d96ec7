/** The entrance: `geomill <command>`. Loads only what the command needs. */
import { styleText } from 'node:util';
import { asGeomillError } from '@geomill/core/messages/errors.ts';
import { packageVersion } from '@geomill/platform/package-version.ts';
import { readConfig } from '@geomill/service/settings/config.ts';
import { type CommandModule, commandHint, commands, overview } from './commands.ts';
import { EXIT, exitStatusOf } from './exit-status.ts';
import { ignoreClosedErrors, isOutputClosed, standardOutput } from './standard-output.ts';

/** Red only on a terminal, and not if NO_COLOR is set. */
const PREFIX = styleText('red', 'geomill:', { stream: process.stderr });

let errorForm: CommandModule['errorForm'];
let statusOf = exitStatusOf;

async function main(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv;
  if (name === 'version' || name === '--version') {
    standardOutput().write(`${packageVersion()}\n`);
    return 0;
  }
  if (name === undefined || name === '--help' || name === '-h') {
    (name === undefined ? process.stderr : standardOutput()).write(overview());
    return name === undefined ? EXIT.usage : 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    const hint = await commandHint(name);
    // The message is what should be seen last.
    process.stderr.write(`${overview()}\n${PREFIX} unknown command '${name}'${hint}\n`);
    return EXIT.usage;
  }
  const module = await command.load();
  errorForm = module.errorForm;
  statusOf = module.statusOf ?? exitStatusOf;
  return module.run(rest, readConfig(process.env), process.env);
}

// npm runs scripts in the package's directory; names on a command line mean the directory where it was typed.
if (process.env.npm_lifecycle_event === 'geomill' && process.env.INIT_CWD !== undefined)
  process.chdir(process.env.INIT_CWD);

ignoreClosedErrors();
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (thrown) {
  if (!isOutputClosed()) await tell(thrown);
}
if (isOutputClosed()) process.exitCode = EXIT.closedOutput;

async function tell(thrown: unknown): Promise<void> {
  const { errorLine, suggestionLines, withNamedSystems } = await import('./wording.ts');
  const error = await withNamedSystems(asGeomillError(thrown));
  process.stderr.write(`${PREFIX} ${errorLine(error, errorForm)}\n${suggestionLines(error, errorForm)}`);
  // A stack trace does not help if a setting or file is wrong.
  if (error.code === 'INTERNAL' && error.cause instanceof Error)
    process.stderr.write(`${error.cause.stack}\n`);
  process.exitCode = statusOf(error);
}
