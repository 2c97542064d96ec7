/** Collects encoded placemarks into a document with a document for each layer: GDAL finds the Schema of a layer of a KMZ only there. */
import { failure } from '@geomill/core/messages/errors.ts';
import { xmlText } from '@geomill/core/text/xml-text.ts';
import { OutputFileSink } from '@geomill/io/output-file.ts';
import { MAX_MEMBER_BYTES } from '@geomill/io/zip-directory.ts';
import { ZipWriter } from '@geomill/io/zip-write.ts';
import type { OutputFile, OutputSink, WriteContext } from '../writer.ts';
import { kmlErrors } from './messages.ts';
import { type Aliases, simpleType, type WriteState } from './write-plan.ts';

const encoder = new TextEncoder();
const END_LAYER = '</Document>\n';

/** The bytes of the document: a file, or the member of an archive. */
interface Target {
  append(bytes: Uint8Array<ArrayBuffer>): void;
  finish(): number | Promise<number>;
  abort(): void;
}

export class KmlSink implements OutputSink {
  readonly #path: string;
  readonly #target: Target;
  readonly #states: readonly WriteState[];
  readonly #aliases: readonly Aliases[];
  /** Number of layers that were begun; the last one is open. */
  #layerCount = 0;

  /** `aliases`: by layer. */
  constructor(
    path: string,
    states: readonly WriteState[],
    aliases: readonly Aliases[],
    { name, expected, time }: WriteContext,
  ) {
    this.#path = path;
    this.#states = states;
    this.#aliases = aliases;
    this.#target = states.some(({ isZip }) => isZip)
      ? zipTarget(new ZipWriter(path, { expected, time }))
      : new OutputFileSink(path, expected);
    this.#append(
      `<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2">\n<Document>\n<name>${xmlText(name)}</name>\n`,
    );
  }

  append(layerIndex: number, chunk: unknown): void {
    this.#openLayer(layerIndex);
    this.#target.append(chunk as Uint8Array<ArrayBuffer>);
  }

  async finish(): Promise<OutputFile> {
    this.#openLayer(this.#states.length - 1);
    this.#append(`${this.#layerCount > 0 ? END_LAYER : ''}</Document>\n</kml>\n`);
    return { path: this.#path, byteLength: await this.#target.finish() };
  }

  abort(): void {
    this.#target.abort();
  }

  /** Begins a layer, and before it those without features. */
  #openLayer(layerIndex: number): void {
    while (this.#layerCount <= layerIndex) {
      const state = this.#states[this.#layerCount];
      const { layerName } = state;
      const end = this.#layerCount === 0 ? '' : END_LAYER;
      this.#append(
        `${end}<Document>\n<name>${xmlText(layerName)}</name>\n${schemaText(state, this.#aliases[this.#layerCount])}`,
      );
      this.#layerCount++;
    }
  }

  #append(text: string): void {
    this.#target.append(encoder.encode(text));
  }
}

function zipTarget(archive: ZipWriter): Target {
  const member = archive.addMember('doc.kml', 0);
  return {
    append(bytes) {
      if (member.byteLength + bytes.length >= MAX_MEMBER_BYTES) throw failure(kmlErrors.KMZ_TOO_LARGE, {});
      member.append(bytes);
    },
    finish: () => archive.finish(),
    abort: () => archive.abort(),
  };
}

/** The Schema of a layer, with its name, so that a reader knows the fields of a layer without features. */
function schemaText({ layerName, fields, schemaId, asData }: WriteState, aliases: Aliases): string {
  const declared = fields.flatMap((field, i) => {
    if (asData[i] === 0) return [];
    const alias = aliases[i];
    const shown = alias === undefined ? '' : `<displayName>${xmlText(alias)}</displayName>`;
    return `<SimpleField type="${simpleType(field)}" name="${xmlText(field.name)}">${shown}</SimpleField>\n`;
  });
  return `<Schema name="${xmlText(layerName)}" id="${schemaId}">\n${declared.join('')}</Schema>\n`;
}
