/** Writes pages of features as one FeatureSet (EsriJSON): a head, then the bytes of the features as they came. */
import { type FileHandle, open } from 'node:fs/promises';
import { failure } from '@geomill/core/messages/errors.ts';
import { remoteInputErrors } from '../errors.ts';
import { tooLarge, writeAll } from '../fetch-file.ts';
import type { Layer } from './layer.ts';
import type { Page } from './page.ts';

export class FeatureSetFile implements AsyncDisposable {
  readonly #file: FileHandle;
  readonly #layer: Layer;
  readonly #url: URL;
  readonly #maxBytes: number;
  #head: ReadonlyMap<string, string> | null = null;
  #featureCount = 0;
  #byteLength = 0;

  private constructor(file: FileHandle, layer: Layer, url: URL, maxBytes: number) {
    this.#file = file;
    this.#layer = layer;
    this.#url = url;
    this.#maxBytes = maxBytes;
  }

  /** `url`: for messages. The file must not exist. */
  static async create(path: string, layer: Layer, url: URL, maxBytes: number): Promise<FeatureSetFile> {
    return new FeatureSetFile(await open(path, 'wx', 0o600), layer, url, maxBytes);
  }

  get featureCount(): number {
    return this.#featureCount;
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  /** Throws LIMIT_EXCEEDED, and SERVICE_ANSWER_INVALID if the page does not continue the ones before. */
  async append(page: Page): Promise<void> {
    if (this.#head === null) {
      this.#head = page.head;
      await this.#write(Buffer.from(headText(this.#layer, page)));
    } else this.#checkSame(page.head);
    if (page.count === 0) return;
    await this.#write(Buffer.from(this.#featureCount === 0 ? '\n' : ',\n'));
    await this.#write(page.features);
    this.#featureCount += page.count;
  }

  /** After the last page, at least one. */
  async finish(): Promise<void> {
    await this.#write(Buffer.from('\n]}\n'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }

  async #write(bytes: Buffer): Promise<void> {
    this.#byteLength += bytes.length;
    if (this.#byteLength > this.#maxBytes) throw tooLarge(this.#url, 'more than that', this.#maxBytes);
    await writeAll(this.#file, bytes);
  }

  #checkSame(head: ReadonlyMap<string, string>): void {
    for (const name of ['geometryType', 'spatialReference', 'hasZ', 'hasM']) {
      if (this.#head?.get(name) === head.get(name)) continue;
      const reason = `'${name}' is not the same in all of its pages`;
      throw failure(remoteInputErrors.SERVICE_ANSWER_INVALID, {
        host: this.#url.host,
        request: 'the queries for features',
        reason,
      });
    }
  }
}

/** Members that the page does not state are taken from the document of the layer. */
function headText(layer: Layer, page: Page): string {
  const stated = new Map(page.head);
  if (!stated.has('geometryType') && layer.geometryType !== null)
    stated.set('geometryType', JSON.stringify(layer.geometryType));
  if (!stated.has('spatialReference') && layer.geometryType !== null && layer.spatialReference !== null)
    stated.set('spatialReference', JSON.stringify(layer.spatialReference));
  stated.set('fields', JSON.stringify(fieldsOf(layer, page)));
  const members = [...stated].map(([name, json]) => `${JSON.stringify(name)}:${json}`);
  return `{${members.join(',\n')},\n"features":[`;
}

/** The fields of the page, by the definitions of the layer, which have domains. */
function fieldsOf(layer: Layer, { fields }: Page): readonly unknown[] {
  if (fields === null || fields.length === 0) return layer.fields.map(({ definition }) => definition);
  const known = new Map(layer.fields.map(({ name, definition }) => [name, definition]));
  return fields.map((field) => known.get((field as { name?: string } | null)?.name ?? '') ?? field);
}
