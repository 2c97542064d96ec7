/** Checks Node and the machine against the needs of the service. */
import { existsSync, readFileSync } from 'node:fs';
import type { Capacity } from '../../settings/capacity.ts';
import { type DoctorFinding, finding, megabytes } from './finding.ts';

const FULL_NODE = 26;
const LEAST_NODE = 24;
/** Each connection, file transfer and runner needs some file descriptors. */
const FEW_DESCRIPTORS = 1024;

export interface RuntimeFacts {
  readonly nodeVersion: string;
  readonly capacity: Capacity;
  readonly availableMemoryBytes: number;
  readonly gridDirectory: string | null;
  /** Content of `/proc/self/limits`; empty if missing. */
  readonly limits: string;
}

export function runtimeFacts(capacity: Capacity, gridDirectory: string | null): RuntimeFacts {
  let limits = '';
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    // Only Linux has it.
  }
  const availableMemoryBytes = process.availableMemory();
  return { nodeVersion: process.versions.node, capacity, availableMemoryBytes, gridDirectory, limits };
}

export function checkRuntime(facts: RuntimeFacts): DoctorFinding[] {
  const { capacity, availableMemoryBytes, gridDirectory } = facts;
  const found = [checkNode(facts.nodeVersion), finding('ok', capacity.text)];
  for (const warning of capacity.warnings)
    found.push(finding('warning', warning, 'docs/settings.md has the rule'));
  if (availableMemoryBytes < capacity.runnerMemoryBytes)
    found.push(
      finding(
        'warning',
        `${megabytes(availableMemoryBytes)} of memory are available now, less than one job may use (RUNNER_MEMORY, ${megabytes(capacity.runnerMemoryBytes)})`,
        'end other programs on this machine, or set RUNNER_MEMORY or RUNNERS lower',
      ),
    );
  const descriptors = Number(/^Max open files\s+(\d+)/m.exec(facts.limits)?.[1] ?? Number.POSITIVE_INFINITY);
  if (descriptors < FEW_DESCRIPTORS)
    found.push(
      finding(
        'warning',
        `a process may open ${descriptors} files`,
        `raise the limit to ${FEW_DESCRIPTORS} or more (ulimit -n, LimitNOFILE)`,
      ),
    );
  if (gridDirectory !== null && !existsSync(gridDirectory))
    found.push(
      finding(
        'problem',
        `PROJ_GRIDS names ${gridDirectory}, which does not exist`,
        'create it, or unset PROJ_GRIDS',
      ),
    );
  return found;
}

function checkNode(version: string): DoctorFinding {
  const major = Number(version.split('.')[0]);
  const remedy = `use Node ${FULL_NODE} (node_modules/.bin/node of the installation)`;
  if (major < LEAST_NODE) return finding('problem', `Node ${version} is older than geomill needs`, remedy);
  if (major < FULL_NODE)
    return finding('warning', `Node ${version} cannot keep runner processes off the network`, remedy);
  return finding('ok', `Node ${version}`);
}
