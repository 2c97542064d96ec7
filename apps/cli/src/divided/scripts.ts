/** The scripts and manifests of `geomill divide`. Each has the same steps: the plan, an array of parts for each pass, the join. */

/** What a script is made for. */
export interface Division {
  /** Arguments of `geomill plan`; null: the plan is there. */
  readonly plan: readonly string[] | null;
  readonly work: string;
  /** Number of parts; null: it is known only when the plan was made. */
  readonly parts: number | null;
  /** Largest number of passes. */
  readonly passes: number;
  /** Container image of geomill. */
  readonly image: string;
  /** Name of the volume claim with the data, which is mounted at DATA_DIRECTORY. */
  readonly claim: string;
}

/** Where the data is in containers. Relative paths begin there. */
export const DATA_DIRECTORY = '/data';
/** Attempts at a part besides the first. */
const RETRIES = 3;
/** A job that waits for a full disk or a lost part ends after a day. */
const DEADLINE_SECONDS = 86_400;
/** Pods, or tasks, that run at the same time. */
const PARALLEL = 20;

export interface EngineScript {
  readonly title: string;
  /** The script needs the number of parts before there is a plan. */
  readonly needsCount: boolean;
  script(division: Division): string;
}

export const ENGINES: Readonly<Record<string, EngineScript>> = {
  slurm: { title: 'SLURM: a script for the login node', needsCount: false, script: slurm },
  kubernetes: { title: 'Kubernetes: Indexed Jobs', needsCount: true, script: kubernetes },
  argo: { title: 'Argo Workflows: a workflow', needsCount: false, script: argo },
  parallel: { title: 'GNU parallel: a script', needsCount: false, script: parallel },
};

/** A word of a shell. */
export function quoted(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function shellOf(words: readonly string[]): string {
  return ['geomill', ...words].map(quoted).join(' ');
}

function passNumbers({ passes }: Division): number[] {
  return Array.from({ length: passes }, (_, i) => i + 1);
}

/** The line that gives the number of parts its name. */
function countLine({ plan, parts }: Division): string {
  return plan === null ? `parts=${parts}` : `parts=$(${shellOf(['plan', ...plan])})`;
}

function slurm(division: Division): string {
  return `#!/bin/bash
# Submits a conversion in parts; run it on a login node: bash SCRIPT
# The nodes must share the directories of all files. A part that ends with 75 is requeued; 65 and 78 end the conversion.
set -euo pipefail
${countLine(division)}
part=$(cat <<'COMMAND'
geomill part ${quoted(division.work)} --pass "$GEOMILL_PASS" --quiet || {
  status=$?
  if [ $status = 75 ] && [ "\${SLURM_RESTART_COUNT:-0}" -lt ${RETRIES} ]; then scontrol requeue "\${SLURM_ARRAY_JOB_ID}_\${SLURM_ARRAY_TASK_ID}"; fi
  exit $status
}
COMMAND
)
after=
for pass in ${passNumbers(division).join(' ')}; do
  job=$(sbatch --parsable --requeue --job-name=geomill-part --array="0-$((parts - 1))%${PARALLEL}" \\
    --cpus-per-task=1 --mem=2G $after --export="ALL,GEOMILL_PASS=$pass" --wrap "$part")
  after="--dependency=afterok:\${job%%;*} --kill-on-invalid-dep=yes"
done
sbatch --job-name=geomill-join --cpus-per-task=1 --mem=2G $after --wrap ${quoted(shellOf(['join', division.work]))}
`;
}

function parallel(division: Division): string {
  const part = `geomill part ${quoted(division.work)} --pass "$pass" --quiet --threads 1 --index`;
  return `#!/bin/sh
# Runs a conversion in parts with GNU parallel, one for each core: sh SCRIPT
set -eu
${countLine(division)}
for pass in ${passNumbers(division).join(' ')}; do
  seq 0 $((parts - 1)) | parallel --quote --retries ${RETRIES} --halt soon,fail=1 ${part}
done
${shellOf(['join', division.work])}
`;
}

function yamlText(text: string): string {
  return JSON.stringify(text);
}

/** The members of a container that runs a command of geomill. `command`: its lines. */
function container({ image }: Division, command: readonly string[]): readonly string[] {
  return [
    `image: ${yamlText(image)}`,
    ...command,
    `workingDir: ${DATA_DIRECTORY}`,
    'resources:',
    '  requests: { cpu: "1", memory: 1Gi }',
    '  limits: { memory: 2Gi }',
    'volumeMounts:',
    `  - { name: data, mountPath: ${DATA_DIRECTORY} }`,
  ];
}

function yamlList(words: readonly string[]): string {
  return `[${words.map(yamlText).join(', ')}]`;
}

/** Lines with so many spaces before all but the first. */
function indented(lines: readonly string[], spaces: number): string {
  return lines.join(`\n${' '.repeat(spaces)}`);
}

interface KubernetesJob {
  readonly name: string;
  readonly words: readonly string[];
  /** Null: it is no array. */
  readonly count: number | null;
}

function kubernetes(division: Division): string {
  const { plan, work, parts } = division;
  const jobs: KubernetesJob[] = [
    ...(plan === null ? [] : [{ name: 'geomill-plan', words: ['plan', ...plan], count: null }]),
    ...passNumbers(division).map((pass) => ({
      name: `geomill-part-${pass}`,
      words: ['part', work, '--pass', String(pass), '--quiet'],
      count: parts,
    })),
    { name: 'geomill-join', words: ['join', work, '--quiet'], count: null },
  ];
  const head = `# A conversion in parts: kubectl create --filename FILE
# Pods of a later job end with 75 until the job before is done, and Kubernetes starts them again; 65 and 78 end a job.
`;
  return head + jobs.map((job) => kubernetesJob(division, job)).join('---\n');
}

function kubernetesJob(division: Division, { name, words, count }: KubernetesJob): string {
  const array =
    count === null
      ? `  backoffLimit: ${RETRIES}`
      : `  completionMode: Indexed
  completions: ${count}
  parallelism: ${Math.min(count, PARALLEL)}
  backoffLimitPerIndex: ${RETRIES}`;
  return `apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}
spec:
${array}
  activeDeadlineSeconds: ${DEADLINE_SECONDS}
  podFailurePolicy:
    rules:
      - action: FailJob
        onExitCodes: { containerName: geomill, operator: In, values: [2, 65, 78] }
      - action: Ignore
        onExitCodes: { containerName: geomill, operator: In, values: [75] }
      - action: Ignore
        onPodConditions:
          - { type: DisruptionTarget, status: "True" }
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: geomill
          ${indented(container(division, [`args: ${yamlList(words)}`]), 10)}
      volumes:
        - name: data
          persistentVolumeClaim: { claimName: ${yamlText(division.claim)} }
`;
}

function argo(division: Division): string {
  const { plan, work, parts, claim } = division;
  const count = plan === null ? yamlText(String(parts)) : '"{{steps.plan.outputs.result}}"';
  const steps = [
    ...(plan === null ? [] : ['        - - name: plan\n            template: plan']),
    ...passNumbers(division).map(
      (pass) => `        - - name: pass-${pass}
            template: part
            arguments:
              parameters:
                - { name: pass, value: "${pass}" }
                - { name: index, value: "{{item}}" }
            withSequence: { count: ${count} }`,
    ),
    '        - - name: join\n            template: join',
  ];
  const retry = `      retryStrategy:
        limit: ${RETRIES}
        retryPolicy: Always
        expression: 'lastRetry.exitCode == "75" || lastRetry.exitCode == "137" || lastRetry.status == "Error"'`;
  const source = (words: readonly string[]): string => `source: ${yamlText(shellOf(words))}`;
  // A script, because the steps take the number of parts from its standard output.
  const planned =
    plan === null
      ? ''
      : `
    - name: plan
      script:
        ${indented(container(division, ['command: [sh]', source(['plan', ...plan])]), 8)}`;
  const commandOf = (words: readonly string[]): string =>
    indented(container(division, [`command: ${yamlList(['geomill', ...words])}`]), 8);
  const part = [
    'part',
    work,
    '--pass',
    '{{inputs.parameters.pass}}',
    '--index',
    '{{inputs.parameters.index}}',
    '--quiet',
  ];
  return `# A conversion in parts: argo submit FILE
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata:
  generateName: geomill-
spec:
  entrypoint: conversion
  parallelism: ${PARALLEL}
  activeDeadlineSeconds: ${DEADLINE_SECONDS}
  volumes:
    - name: data
      persistentVolumeClaim: { claimName: ${yamlText(claim)} }
  templates:
    - name: conversion
      steps:
${steps.join('\n')}${planned}
    - name: part
      inputs:
        parameters:
          - name: pass
          - name: index
${retry}
      container:
        ${commandOf(part)}
    - name: join
${retry}
      container:
        ${commandOf(['join', work, '--quiet'])}
`;
}
