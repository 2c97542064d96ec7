/** Part files in a bucket: `parts/<job id>/<attempt>/<name>`. */
import { closeSync } from 'node:fs';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { openFinished } from './local-store.ts';
import type { S3Client } from './s3-client.ts';
import { fetchObject, readerOf, storeObject } from './s3-objects.ts';
import { checkPartName, isJobFileName, type PartFiles, type StoredAttempt } from './store.ts';

const FOLDER = 'parts/';

export class S3Parts implements PartFiles {
  readonly #client: S3Client;

  constructor(client: S3Client) {
    this.#client = client;
  }

  async put(attempt: StoredAttempt, name: string, path: string): Promise<void> {
    const { descriptor, facts } = openFinished(attempt.id, path, 0);
    try {
      await storeObject(this.#client, keyOf(attempt, name), facts.size, readerOf(descriptor)(0));
    } finally {
      closeSync(descriptor);
    }
  }

  async get(attempt: StoredAttempt, name: string, path: string): Promise<void> {
    await fetchObject(this.#client, keyOf(attempt, name), path);
  }

  async getInput(key: string, path: string, range: readonly [number, number] | null): Promise<void> {
    if (!isJobFileName('input', key)) throw failure(generalErrors.INTERNAL, { reason: 'malformed file key' });
    await fetchObject(this.#client, `inputs/${key}`, path, range);
  }

  async remove(attempt: StoredAttempt, name?: string): Promise<void> {
    if (name !== undefined) return this.#client.remove(keyOf(attempt, name));
    for await (const { key } of this.#client.list(folderOf(attempt))) await this.#client.remove(key);
  }

  async *list(): AsyncIterable<StoredAttempt & { changedAt: number }> {
    for await (const { key, changedAt } of this.#client.list(FOLDER)) {
      const [id, fence] = key.slice(FOLDER.length).split('/');
      if (isJobFileName('output', id) && /^\d{1,15}$/.test(fence ?? ''))
        yield { id, fence: Number(fence), changedAt };
    }
  }
}

function keyOf(attempt: StoredAttempt, name: string): string {
  checkPartName(name);
  return `${folderOf(attempt)}${name}`;
}

function folderOf({ id, fence }: StoredAttempt): string {
  if (!isJobFileName('output', id)) throw failure(generalErrors.INTERNAL, { reason: 'malformed file key' });
  return `${FOLDER}${id}/${fence}/`;
}
