/**
 * Writes an output that is split by a field, one part after another: as layers of one file, or as files in a directory or a
 * zip archive. See docs/decisions/split-outputs.md.
 */

import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { Findings, type FoundFinding } from '@geomill/core/messages/findings.ts';
import { type Format, outputKind } from '@geomill/formats/format.ts';
import {
  type ExistingOutput,
  type FormatWriter,
  forWorkers,
  type LayerEncoding,
  type OutputFile,
  type OutputLayer,
  type OutputSink,
  type WriteContext,
} from '@geomill/formats/writer.ts';
import { openFileSource } from '@geomill/io/byte-source.ts';
import { fileNameKey } from '@geomill/io/safe-name.ts';
import { MAX_MEMBER_BYTES } from '@geomill/io/zip-directory.ts';
import { ZipWriter } from '@geomill/io/zip-write.ts';
import { fileSize, makeNewDirectory, namesIn, removeDirectory, removeFile } from '@geomill/platform/files.ts';
import { endingOf, joinedPath } from '@geomill/platform/paths.ts';
import { eventTurn } from '@geomill/platform/scheduling.ts';
import { ChunkSpool } from './chunk-spool.ts';
import { pipelineErrors } from './errors.ts';
import { throwIfAborted } from './partition-run.ts';
import type { WrittenLayerReport } from './report.ts';
import type { ConversionPaths, SplitRequest } from './request.ts';
import type { OutputPart } from './split-parts.ts';
import type { PartEncodings, PartResult, SplitValue } from './task.ts';

const COPY_BYTES = 1 << 20;

interface Setting {
  readonly format: Format;
  readonly writer: FormatWriter;
  readonly options: WriteContext['options'];
  readonly split: SplitRequest;
  readonly paths: Pick<
    ConversionPaths,
    'outputPath' | 'expected' | 'outputDirectory' | 'scratchDirectory' | 'timeMs'
  >;
  /** Name of the output without extension. */
  readonly name: string;
  readonly existing: ExistingOutput | null;
  readonly findings: Findings;
  readonly signal: AbortSignal;
  /** Names of the layers of the plan. */
  readonly layerNames: readonly string[];
}

export class SplitOutput {
  readonly #setting: Setting;
  readonly #parts: readonly OutputPart[];
  readonly #encodings: readonly LayerEncoding[];
  readonly #spool: ChunkSpool;
  readonly #numbers: readonly ReadonlyMap<SplitValue | undefined, number>[];
  readonly #features: number[];
  /** Names of the layers of the plan by those of their parts. */
  readonly #layerOf: ReadonlyMap<string, string>;
  #sink: OutputSink | null = null;
  #files: PartFiles | null = null;
  /** Names of the files of each part. */
  readonly #written: (readonly string[])[] = [];

  /** Plans the parts. `onFiles` gets the names of the files before any is written. */
  constructor(
    setting: Setting,
    parts: readonly OutputPart[],
    onFiles: (names: readonly string[]) => void = () => {},
  ) {
    this.#setting = setting;
    this.#parts = parts;
    this.#features = parts.map(() => 0);
    this.#layerOf = new Map(parts.map(({ name, layer }) => [name, setting.layerNames[layer]]));
    this.#numbers = setting.layerNames.map(
      (_, layer) =>
        new Map(parts.flatMap((part, number) => (part.layer === layer ? [[part.value, number]] : []))),
    );
    if (setting.split.into === 'files') onFiles(parts.map(({ name }) => name + this.#extension));
    this.#encodings = this.#plan();
    this.#spool = new ChunkSpool(joinedPath(setting.paths.scratchDirectory, 'split-chunks'), parts.length);
  }

  /** For the tasks. */
  get encodings(): PartEncodings {
    return this.#numbers.map(
      (numbers) =>
        new Map(
          [...numbers].flatMap(([value, number]) =>
            value === undefined ? [] : [[value, forWorkers(this.#encodings[number])]],
          ),
        ),
    );
  }

  get reports(): WrittenLayerReport[] {
    const isFiles = this.#setting.split.into === 'files';
    return this.#parts.map(({ name, value }, number) => ({
      name,
      features: this.#features[number],
      ...(value === undefined ? {} : { value }),
      ...(isFiles ? { files: this.#written[number] ?? [] } : {}),
    }));
  }

  /** Takes the encoded features of a batch. */
  take(layer: number, parts: readonly PartResult[]): void {
    for (const { value, rowCount, undrawn, chunk } of parts) {
      const number = this.#numbers[layer].get(value);
      if (number === undefined) throw new Error('a value appeared between two passes');
      this.#features[number] += rowCount - undrawn;
      this.#spool.append(number, chunk);
    }
  }

  /** Writes all parts where they are not yet delivered. */
  async write(): Promise<void> {
    const { split, paths, signal } = this.#setting;
    if (split.into === 'layers') {
      const { expected } = paths;
      const context: WriteContext = {
        ...this.#context(this.#setting.name, this.#setting.findings),
        ...(expected === undefined ? {} : { expected }),
      };
      this.#sink = this.#setting.writer.createSink(paths.outputPath, this.#encodings, context);
      for (const number of this.#parts.keys()) await this.#append(this.#sink, number, number);
      return;
    }
    this.#files =
      paths.outputDirectory === undefined
        ? new ZipOfFiles(paths, this.#parts, this.#setting.options.compression === 'store')
        : new Directory(paths.outputDirectory);
    for (const [number, { name }] of this.#parts.entries()) {
      const findings = new Findings();
      const path = this.#files.pathFor(name, this.#extension, this.#setting.format.looseExtension);
      const context = this.#context(name, findings);
      const sink = this.#setting.writer.createSink(path, [this.#encodings[number]], context);
      try {
        await this.#append(sink, number, 0);
        await sink.finish();
      } catch (error) {
        sink.abort();
        throw error;
      }
      this.#setting.findings.merge(this.#ofLayers(findings));
      throwIfAborted(signal);
      this.#written.push(await this.#files.add(name));
    }
  }

  async finish(): Promise<OutputFile> {
    this.#spool.discard();
    if (this.#sink !== null) return this.#sink.finish();
    if (this.#files === null) throw new Error('the parts were not written');
    return this.#files.finish();
  }

  abort(): void {
    this.#spool.discard();
    this.#sink?.abort();
    this.#files?.abort();
  }

  get #extension(): string {
    return outputKind(this.#setting.format, this.#setting.options).outputExtension;
  }

  #context(name: string, findings: Findings): WriteContext {
    const { options, existing, paths } = this.#setting;
    const { timeMs } = paths;
    return {
      ...{ name, options, findings },
      ...(existing === null ? {} : { existing }),
      ...(timeMs === undefined ? {} : { time: new Date(timeMs) }),
    };
  }

  #plan(): LayerEncoding[] {
    const { writer, split, name } = this.#setting;
    const outputs = this.#parts.map(({ output }) => output);
    const known = new Set<string>();
    const planned = (layers: readonly OutputLayer[], own: string): readonly LayerEncoding[] => {
      const findings = new Findings();
      const encodings = writer.plan(layers, this.#context(own, findings));
      // The parts of a layer have the same fields and the same CRS: what they repeat is reported once.
      const fresh = this.#ofLayers(findings).filter(({ code, params }) => {
        const key = code + JSON.stringify(params);
        return !known.has(key) && known.add(key);
      });
      this.#setting.findings.merge(fresh);
      return encodings;
    };
    if (split.into === 'layers') return [...planned(outputs, name)];
    return outputs.flatMap((output) => planned([output], output.name));
  }

  /** The findings with the names of layers of the plan in place of those of their parts. */
  #ofLayers(findings: Findings): FoundFinding[] {
    return findings.noted().map((finding) => {
      const { layer } = finding.params;
      const own = typeof layer === 'string' ? this.#layerOf.get(layer) : undefined;
      return own === undefined ? finding : { ...finding, params: { ...finding.params, layer: own } };
    });
  }

  async #append(sink: OutputSink, number: number, layerIndex: number): Promise<void> {
    for (const chunk of this.#spool.chunks(number)) {
      throwIfAborted(this.#setting.signal);
      sink.append(layerIndex, chunk);
    }
    await eventTurn();
  }
}

/** Where the files of the parts go. */
interface PartFiles {
  /** Path for the file of the next part. */
  pathFor(name: string, extension: string, looseExtension: string | undefined): string;
  /** Adds what was written for the part of a name. Resolves with the names of its files, without those beside a .shp. */
  add(name: string): Promise<readonly string[]>;
  finish(): Promise<OutputFile>;
  abort(): void;
}

/** A directory, which exists and is empty; the caller delivers the files. */
class Directory implements PartFiles {
  readonly #path: string;
  #extension = '';

  constructor(path: string) {
    this.#path = path;
  }

  pathFor(name: string, extension: string): string {
    this.#extension = extension;
    return joinedPath(this.#path, name + extension);
  }

  async add(name: string): Promise<readonly string[]> {
    return [name + this.#extension];
  }

  async finish(): Promise<OutputFile> {
    const sizes = namesIn(this.#path).map((name) => fileSize(joinedPath(this.#path, name)));
    return { path: this.#path, byteLength: sizes.reduce((sum, size) => sum + size, 0) };
  }

  abort(): void {
    for (const name of namesIn(this.#path)) removeFile(joinedPath(this.#path, name));
  }
}

/** One zip with all files, as outputs with several shapefiles are delivered. Each file is packed before the next is written. */
class ZipOfFiles implements PartFiles {
  readonly #path: string;
  readonly #work: string;
  readonly #zip: ZipWriter;
  /** A shapefile with several kinds of geometries becomes several, whose names must not be those of other parts. */
  readonly #stems: UniqueNames;
  #mainExtension = '';

  constructor(
    { outputPath, expected, scratchDirectory, timeMs }: Setting['paths'],
    parts: readonly { readonly name: string }[],
    isStored: boolean,
  ) {
    this.#stems = new UniqueNames({ fold: fileNameKey, taken: parts.map(({ name }) => fileNameKey(name)) });
    this.#path = outputPath;
    this.#work = makeNewDirectory(joinedPath(scratchDirectory, 'split-part-'));
    this.#zip = new ZipWriter(outputPath, {
      expected,
      isStored,
      time: timeMs === undefined ? undefined : new Date(timeMs),
    });
  }

  pathFor(name: string, extension: string, looseExtension = extension): string {
    this.#mainExtension = looseExtension;
    return joinedPath(this.#work, name + looseExtension);
  }

  async add(name: string): Promise<readonly string[]> {
    const stems = new Map([[name, name]]);
    const added: string[] = [];
    for (const file of namesIn(this.#work).sort()) {
      const ending = endingOf(file);
      const stem = file.slice(0, file.length - ending.length);
      const taken = stems.get(stem) ?? this.#stems.take(stem);
      stems.set(stem, taken);
      this.#pack(joinedPath(this.#work, file), taken + ending);
      await this.#zip.flush();
      removeFile(joinedPath(this.#work, file));
      if (ending === this.#mainExtension) added.push(taken + ending);
    }
    return added;
  }

  async finish(): Promise<OutputFile> {
    removeDirectory(this.#work);
    return { path: this.#path, byteLength: await this.#zip.finish() };
  }

  abort(): void {
    this.#zip.abort();
    removeDirectory(this.#work);
  }

  #pack(path: string, name: string): void {
    using source = openFileSource(path);
    const { byteLength } = source;
    if (byteLength >= MAX_MEMBER_BYTES)
      throw failure(pipelineErrors.SPLIT_FILE_TOO_LARGE, {
        file: name,
        bytes: byteLength,
        limit: MAX_MEMBER_BYTES - 1,
      });
    const member = this.#zip.addMember(name, 0);
    for (let at = 0; at < byteLength; at += COPY_BYTES)
      member.append(source.slice(at, Math.min(at + COPY_BYTES, byteLength)));
  }
}
