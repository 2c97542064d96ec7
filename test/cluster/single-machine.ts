/** One machine without faults: what jobs give there is what they must give everywhere. */
import { setTimeout as pause } from 'node:timers/promises';
import {
  baseInput,
  type CampaignJob,
  campaignInputs,
  fingerprint,
  formOf,
  INPUT_CONFIG,
  type InputFile,
  VARIANTS,
} from '../faults/jobs.ts';
import { Member } from './member.ts';

const POLL_MS = 200;

export class SingleMachine implements AsyncDisposable {
  readonly #member: Member;

  private constructor(member: Member) {
    this.#member = member;
  }

  static async start(directory: string): Promise<SingleMachine> {
    const alone = { name: 'single', within: [], address: '127.0.0.1' };
    const refuse = (): never => {
      throw new Error('a single machine has no links');
    };
    const member = new Member({
      machine: { ...alone, server: refuse, cut: refuse },
      role: 'all',
      directory,
      // Nicer runners wait for whatever else this machine does.
      settings: { RUNNERS: '2', RUNNER_NICENESS: '0', RUNNER_SANDBOX: 'none', RATE_LIMIT: '0' },
    });
    await member.start();
    return new SingleMachine(member);
  }

  /** The base inputs in every format. */
  async inputs(): Promise<ReadonlyMap<string, readonly InputFile[]>> {
    const inputs = new Map<string, InputFile[]>();
    for (const { id, outputExtension } of campaignInputs) {
      const files = Array.from({ length: VARIANTS }, async (_, variant) => {
        const path = '/v1/transform/geojson';
        const base = [['file', baseInput(variant)]] as const;
        const bytes = await this.output({ name: id, path, config: INPUT_CONFIG(id), files: base });
        return { name: `base${outputExtension}`, bytes };
      });
      inputs.set(id, await Promise.all(files));
    }
    return inputs;
  }

  async references(jobs: readonly CampaignJob[]): Promise<ReadonlyMap<string, string>> {
    const references = new Map<string, string>();
    const waiting = [...jobs];
    const work = async (): Promise<void> => {
      for (let job = waiting.shift(); job !== undefined; job = waiting.shift())
        references.set(job.name, await fingerprint(await this.output(job)));
    };
    await Promise.all([work(), work()]);
    return references;
  }

  /** Runs a job in one request. */
  async output(job: CampaignJob): Promise<Buffer> {
    const { url } = this.#member;
    let response = await fetch(url + job.path, { method: 'POST', body: formOf(job) });
    if (response.status === 202) {
      // Not finished after a minute, on a machine that has much else to do.
      const { task_id: id } = (await response.json()) as { task_id: string };
      await this.#end(id);
      response = await fetch(`${url}/result/output/${id}`);
    }
    const body = Buffer.from(await response.arrayBuffer());
    if (response.status !== 200) throw new Error(`${job.name}: ${response.status} ${body.toString()}`);
    return body;
  }

  async #end(id: string): Promise<void> {
    for (;;) {
      const job = (await (await fetch(`${this.#member.url}/v1/jobs/${id}`)).json()) as { status: string };
      if (job.status === 'SUCCESS' || job.status === 'FAILED') return;
      await pause(POLL_MS);
    }
  }

  async end(): Promise<void> {
    await this.#member.end('SIGTERM');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }
}
