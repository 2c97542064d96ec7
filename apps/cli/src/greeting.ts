/** What the service says when it has started. */
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_DIRECTORY } from '@geomill/platform/program-files.ts';
import type { RunningService } from '@geomill/service/service.ts';

export function greeting({
  url,
  role,
  config: { authJobSurface, dataDirectory, databaseUrl, runners, web },
  setupLink: link,
  isolation,
}: RunningService): string {
  const jobs = runners === 1 ? 'one job' : `up to ${runners} jobs`;
  if (role === 'worker')
    return `geomill runs ${jobs} at a time as a worker, and listens on ${url} for /healthz, /readyz and /metrics only.

${isolationOf(isolation)}`;
  const isolated =
    role === 'api'
      ? 'This process runs no jobs: start workers with geomill serve --role worker and the same DATABASE_URL and STORE_URL.\n\n'
      : isolationOf(isolation);
  const inContainer = containerCommand();
  const first =
    link === null
      ? ''
      : `There is no administrator yet. The first person to open this link becomes one; it can be used once and expires after 24 hours:

  ${link}

`;
  const place =
    databaseUrl === null ? `DATA_DIR=${shellQuote(dataDirectory)}` : 'DATABASE_URL=... DATABASE_SCHEMA=...';
  if (authJobSurface === 'required')
    return `geomill listens on ${url} and requires credentials. To create an API key:

  ${inContainer ?? place} geomill keys create --owner me --name first

${isolated}${first}`;
  const sample = join(PACKAGE_DIRECTORY, 'samples', 'harbour.geojson');
  const config = '{"input":{"format":"geojson"},"output":{"format":"shp","epsg":3857}}';
  const file = inContainer === null ? `@"${sample}"` : '@-;filename=harbour.geojson';
  const source = inContainer === null ? '' : `${inContainer} cat ${sample} | `;
  return `geomill listens on ${url}. ${web === 'on' ? 'Open it in a browser, or try it' : 'Try it'}:

  ${source}curl -f -H 'Prefer: wait=30' -F 'config=${config}' -F ${shellQuote(`input_file=${file}`)} -OJ ${url}/transform

${isolated}${first}`;
}

/** The sandbox in use, and why stronger ones do not work here. */
function isolationOf({ sandbox, missing }: RunningService['isolation']): string {
  const reasons = missing.map(({ level, reason }) => `  no ${level}: ${reason}\n`).join('');
  return `Jobs are isolated by ${sandbox.text} (RUNNER_SANDBOX).\n${reasons}\n`;
}

/**
 * Runs a command in this container from outside of it; null outside of our image, where the Containerfile puts the first
 * file. Docker puts the second one into its containers. By default the engine names the host by the id of the container.
 */
function containerCommand(): string | null {
  if (!existsSync(join(PACKAGE_DIRECTORY, '.container'))) return null;
  return `${existsSync('/.dockerenv') ? 'docker' : 'podman'} exec ${hostname()}`;
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
