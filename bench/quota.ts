/** CPU quotas by control groups, version 1 or 2, for processes that stand for machines. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const V1 = '/sys/fs/cgroup/cpu';
const V2 = '/sys/fs/cgroup';
const PERIOD_US = 100_000;

export interface Quota {
  /** Runs a command in the group, as a prefix of it. */
  readonly prefix: readonly string[];
  /** Of a group without processes. */
  remove(): void;
}

/** A group whose processes together get this share of a core. Throws where groups cannot be made: that needs root. */
export function cpuQuota(name: string, cores: number): Quota {
  const isV2 = existsSync(join(V2, 'cgroup.controllers'));
  const own = readFileSync('/proc/self/cgroup', 'utf8');
  // Within the group of this process, whose share of a busy machine counts for it, too.
  const [, parent = '/'] = (isV2 ? /^0::(.*)$/m : /^\d+:cpu(?:,cpuacct)?:(.*)$/m).exec(own) ?? [];
  const directory = join(isV2 ? V2 : V1, parent, `geomill-${name}`);
  mkdirSync(directory, { recursive: true });
  const quota = Math.round(cores * PERIOD_US);
  if (isV2) writeFileSync(join(directory, 'cpu.max'), `${quota} ${PERIOD_US}`);
  else {
    writeFileSync(join(directory, 'cpu.cfs_period_us'), String(PERIOD_US));
    writeFileSync(join(directory, 'cpu.cfs_quota_us'), String(quota));
    writeFileSync(join(directory, 'cpu.shares'), '10240');
  }
  return {
    prefix: ['/bin/sh', '-c', `echo $$ > ${join(directory, 'cgroup.procs')} && exec "$@"`, 'quota'],
    remove: () => rmdirSync(directory),
  };
}
