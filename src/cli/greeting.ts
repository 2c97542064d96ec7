/** What the service says when it has started. */
import { fileURLToPath } from 'node:url';
import type { RunningService } from '../service.ts';

export function greeting({
  url,
  config: { authJobSurface, dataDirectory },
  setupLink: link,
  sandbox,
}: RunningService): string {
  const isolation = isolationOf(sandbox);
  const first =
    link === null
      ? ''
      : `There is no administrator yet. Whoever opens this link first becomes one; it is good once, for a day:

  ${link}

`;
  if (authJobSurface === 'required')
    return `geomill listens on ${url} and asks for credentials. An API key:

  DATA_DIR=${shellQuote(dataDirectory)} geomill keys create --owner me --name first

${isolation}${first}`;
  const sample = fileURLToPath(new URL('../../samples/harbour.geojson', import.meta.url));
  const config = '{"input":{"format":"geojson"},"output":{"format":"shp","epsg":3857}}';
  return `geomill listens on ${url}. Try it, as it stands:

  curl -f -H 'Prefer: wait=30' -F 'config=${config}' -F ${shellQuote(`input_file=@"${sample}"`)} -o harbour.zip ${url}/transform

${isolation}${first}`;
}

/** Which wall stands, and why no stronger one does. */
function isolationOf({ wall, missing }: RunningService['sandbox']): string {
  const reasons = missing.map(({ level, reason }) => `  no ${level}: ${reason}\n`).join('');
  return `Jobs are isolated by ${wall.text} (RUNNER_SANDBOX).\n${reasons}\n`;
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
