/** Markdown of the measured pairs, as in README.md. */
import { geometricMean, type Measurement } from './measure.ts';
import type { Peer } from './pairs.ts';
import type { Row } from './run.ts';

interface Machine {
  readonly date: string;
  readonly cores: number;
  readonly node: string;
  /** Of the last minute, before the first measurement. */
  readonly load: number;
}

export function tableHead(
  { date, cores, node, load }: Machine,
  { count, runs }: { readonly count: number; readonly runs: number },
  peers: readonly Peer[],
): string {
  const columns = [
    'pair',
    'geomill',
    'CPU',
    'memory',
    ...peers.flatMap(({ name }) => [name, 'faster', 'less CPU']),
  ];
  return [
    `${date.slice(0, 16)}Z, ${cores} cores, load ${load.toFixed(1)}, Node ${node}; ${count} polygons, whole processes in turn, medians of ${runs} runs:`,
    '',
    `| ${columns.join(' | ')} | same in all outputs |`,
    `|${'---|'.repeat(columns.length + 1)}`,
  ].join('\n');
}

export function tableRow({ pair, ours, peers, checked }: Row): string {
  const cells = [pair.name.replace('>', ' > '), seconds(ours.wallSeconds), seconds(ours.cpuSeconds)];
  cells.push(`${ours.peakMegabytes.toFixed(0)} MB`);
  for (const peer of peers) {
    if (peer === null) cells.push('', '', '');
    else
      cells.push(
        seconds(peer.wallSeconds),
        `${ratio(peer, ours, 'wallSeconds')}x`,
        `${ratio(peer, ours, 'cpuSeconds')}x`,
      );
  }
  return `| ${cells.join(' | ')} | ${checked} |`;
}

/** Geometric means of the ratios, of the pairs that each peer has. */
export function meansRow(rows: readonly Row[], peers: readonly Peer[]): string {
  const cells = peers.flatMap((_, i) => {
    const compared = rows.flatMap(({ ours, peers: all }) =>
      all[i] === null ? [] : [{ ours, peer: all[i] }],
    );
    const mean = (what: 'wallSeconds' | 'cpuSeconds'): string =>
      compared.length === 0
        ? ''
        : `${geometricMean(compared.map(({ ours, peer }) => peer[what] / ours[what])).toFixed(1)}x`;
    return ['', mean('wallSeconds'), mean('cpuSeconds')];
  });
  return `| ${['geometric mean', '', '', '', ...cells].join(' | ')} | |`;
}

function seconds(value: number): string {
  return `${value.toFixed(2)} s`;
}

function ratio(peer: Measurement, ours: Measurement, what: 'wallSeconds' | 'cpuSeconds'): string {
  return (peer[what] / ours[what]).toFixed(1);
}
