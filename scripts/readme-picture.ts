/**
 * Draws the picture of README.md, docs/images/before-after.svg: the sample harbour, and what `geomill convert` makes of
 * it. Run it after a change of the sample or of the steps: `node scripts/readme-picture.ts`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';

const ROOT = join(import.meta.dirname, '..');
const SAMPLE = 'samples/harbour.geojson';
const STEPS = ['--buffer', '40m', '--union'];

interface Geometry {
  readonly type: string;
  readonly coordinates: unknown;
}

type Position = readonly [x: number, y: number];

const WIDTH = 430;
const HEIGHT = 250;
/** West, south, east and north of both maps, in degrees. */
const [WEST, SOUTH, EAST, NORTH] = [8.5668, 53.5439, 8.5882, 53.5515];

function geometries(text: string): Geometry[] {
  const { features } = JSON.parse(text) as { features: { geometry: Geometry }[] };
  return features.map(({ geometry }) => geometry);
}

function converted(): string {
  const command = [
    join(ROOT, 'bin', 'geomill.js'),
    'convert',
    SAMPLE,
    '-',
    '--to',
    'geojson',
    ...STEPS,
    '--quiet',
  ];
  return execFileSync(execPath, command, { cwd: ROOT, encoding: 'utf8' });
}

function onMap([longitude, latitude]: Position): string {
  const x = ((longitude - WEST) / (EAST - WEST)) * WIDTH;
  const y = ((NORTH - latitude) / (NORTH - SOUTH)) * HEIGHT;
  return `${x.toFixed(1)},${y.toFixed(1)}`;
}

/** Lists of positions at the lowest level: rings, lines, or one list of points. */
function parts(coordinates: unknown): Position[][] {
  const list = coordinates as unknown[];
  if (typeof list[0] === 'number') return [[list as unknown as Position]];
  if (typeof (list[0] as unknown[])[0] === 'number') return [list as Position[]];
  return list.flatMap(parts);
}

function drawn({ type, coordinates }: Geometry): string {
  if (type.endsWith('Point'))
    return parts(coordinates)
      .flat()
      .map((position) => `<circle class="point" r="3.5" transform="translate(${onMap(position)})"/>`)
      .join('');
  const isArea = type.endsWith('Polygon');
  const path = parts(coordinates).map((part) => `M${part.map(onMap).join('L')}${isArea ? 'Z' : ''}`);
  return `<path class="${isArea ? 'area' : 'line'}" d="${path.join('')}"/>`;
}

function map(x: number, title: string, shapes: readonly Geometry[]): string {
  return `<g transform="translate(${x} 34)"><text y="-12">${title}</text><rect width="${WIDTH}" height="${HEIGHT}"/>
${shapes.map(drawn).join('\n')}</g>`;
}

const style = `text{font:15px ui-monospace,Menlo,Consolas,monospace;fill:#57606a}rect{fill:#eef4f8;stroke:#c8d3dc}
.area{fill:#4a90b8;fill-opacity:.45;stroke:#1f5f86;fill-rule:evenodd}.line{fill:none;stroke:#a34a28;stroke-width:2}.point{fill:#c22f2f}`;
const before = geometries(readFileSync(join(ROOT, SAMPLE), 'utf8'));
const after = geometries(converted());
writeFileSync(
  join(ROOT, 'docs/images/before-after.svg'),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${2 * WIDTH + 24} ${HEIGHT + 36}"><style>${style}</style>
${map(1, SAMPLE.slice(SAMPLE.indexOf('/') + 1), before)}
${map(WIDTH + 23, `geomill convert ... ${STEPS.join(' ')}`, after)}
</svg>
`,
);
