/**
 * The contract of a format: one record of facts (available without loading any codec), a reader and a writer.
 * Detection, the CLI, the API and the docs use the record; the codecs are loaded when needed.
 *
 * Readers and writers are independent of each other and exchange feature batches.
 *
 *   main thread    reader.open -> layers, each split into partitions      writer.plan -> encodings   sink.append, finish
 *   worker threads            reader.readPartition -> batch -> (reproject, transform) -> writer.encode -> chunk
 */
import type { Domain, FactKind, FieldDefault } from '@geomill/core/columns/field-facts.ts';
import type { CrsText } from '@geomill/core/crs/crs.ts';
import type { ErrorEntries, FindingEntries } from '@geomill/core/messages/catalogue-entries.ts';
import type { FormatReader } from './reader.ts';
import type { FormatWriter } from './writer.ts';

/** A JSON Schema (2020-12) of an object with options; validates requests and documents them. */
export interface OptionsSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly additionalProperties?: boolean;
}

/**
 * How a file of a format is recognised, by any of the three, to name it in an error when another format was expected.
 */
export interface Signature {
  /** Name of such a file in messages: "a GeoPackage". */
  readonly found: string;
  /** First characters of the file, in Latin-1, that no file of another format has. */
  readonly magic?: string;
  /** Matches the first 4 KiB, in Latin-1, of files of a text format. */
  readonly pattern?: RegExp;
  /** Matches the path of a member of a zip archive. */
  readonly member?: RegExp;
}

/** A kind of output of a format with names, extensions and a media type of its own, selected by a write option. */
export interface OutputVariant {
  /** Name in lists: "GeoJSON sequence". */
  readonly title: string;
  /** Aliases of the format that select it as the output format. */
  readonly names: readonly string[];
  /** Extensions of output files that select it on the command line; the first one is the usual one. */
  readonly extensions: readonly string[];
  readonly mediaType: string;
  readonly option: string;
  /** Values of the option; the names and extensions set the first one. */
  readonly values: readonly unknown[];
}

export interface Format {
  readonly id: string;
  /** Name in sentences and tables: "GeoPackage". */
  readonly name: string;
  /** Name with the variants and versions that are supported. */
  readonly title: string;
  /** What is supported, in one line: the table in README. */
  readonly summary: string;
  /** Other ids that requests may use. */
  readonly aliases: readonly string[];
  /** File name extensions, with the dot, lower case; the first one is the usual one. */
  readonly extensions: readonly string[];
  /**
   * Extensions of files beside each other that together are one input, packed in a zip archive; the first is that of the file they belong to. Default:
   * an input is one file.
   */
  readonly fileParts?: readonly [string, ...string[]];
  /**
   * Extensions of files beside each other that together are a table without geometries. The first is that of an input without the main file of
   * `fileParts`, and of an output path with which a table is written as loose files. Default: the format has no such files.
   */
  readonly tableParts?: readonly [string, ...string[]];
  /**
   * Extension of folders that are an input as a whole, as they are or in a zip archive; a signature matches the name of one of its files. Default: an
   * input is a file.
   */
  readonly folderExtension?: string;
  /** Extensions by which another format is known, but that files of this one have, too; the content decides. Default: none. */
  readonly sharedExtensions?: readonly string[];
  readonly signatures: readonly Signature[];
  /**
   * A file shows its end, so that the reader refuses one of which features were cut off; a pattern: those files do whose first 4 KiB, in
   * Latin-1, match it. Default: the rest of a file that was cut can be a complete file.
   */
  readonly endMark?: true | RegExp;
  /** File in samples/. */
  readonly sample: string;
  /**
   * A file is one JSON text: a JSON body can contain inputs, and `to_file: false` returns outputs. The value is the
   * name of the schema of such a text.
   */
  readonly jsonSchema: 'FeatureCollection' | null;
  /** A runner process converts a small file to this format before its first job; only for the formats most used. */
  readonly isWarmedUp: boolean;
  /** Media type of an output. */
  readonly mediaType: string;
  /** Ending of an output file; ".zip" for shp. */
  readonly outputExtension: string;
  /** Outputs that are no single JSON text, have another media type or another ending. Default: none. */
  readonly outputVariants?: readonly OutputVariant[];
  /** Where the CRS of an input comes from: fixed by the format (geojson), stated in the file, or only by the request. */
  readonly inputCrs: 'fixed' | 'file' | 'request';
  /** The CRS that outputs have in place of a requested one, unless the write option `unless` has another value than 'wgs84', its default. Default: outputs have the requested one. */
  readonly fixedOutputCrs?: { readonly crs: CrsText; readonly unless?: string };
  /** Whether an output can have several layers; 'one' merges them. */
  readonly outputLayers: 'one' | 'many';
  /** What a value becomes in an output that is split by a field, unless the request says otherwise: a layer or a file. */
  readonly parts: 'layers' | 'files';
  /** Ending of an output path with which an output that is an archive is written as loose files. Default: it is no archive. */
  readonly looseExtension?: string;
  /** Records are binary and not compressed: a thread reads or writes hundreds of megabytes of them a second. Default: they are not. */
  readonly isBinary?: true;
  /** Processes on several machines can each read some partitions of the same input: a partition needs only its bytes. Default: one process reads them all. */
  readonly isReadInParts?: true;
  /** An output is the chunks of the writer one after another, whichever process encoded them. Default: one process writes it. */
  readonly isWrittenInParts?: true;
  /** An existing output can get features and layers; everything else in it stays as it is. Default: only new outputs are written. */
  readonly isExtendable?: true;
  /** An output stores feature ids; otherwise they become a field if they are data. */
  readonly holdsIds: boolean;
  /**
   * How an output stores fields. declared: a layer without features keeps them, too. with features: only features have
   * them. none: geometries only; the writer reports what it drops.
   */
  readonly outputFields: 'declared' | 'with features' | 'none';
  /** What an output states of fields besides their names and types. Default: nothing. */
  readonly heldFacts?: readonly FactKind[];
  /** Kinds of domains that it states. Default: all, if it states domains. */
  readonly heldDomains?: readonly Domain['kind'][];
  /** Kinds of defaults that it states. Default: all, if it states defaults. */
  readonly heldDefaults?: readonly FieldDefault['kind'][];
  /** The writer states NOT NULL and UNIQUE only if all features meet them. Default: they are left out where a step may break them. */
  readonly checksConstraints?: true;
  /** An output states titles and descriptions of layers. Default: it does not. */
  readonly holdsLayerFacts?: true;
  /** A writer copies what else is in an input of the same format: metadata, styles, tables without features. Default: it does not. */
  readonly keepsOtherContent?: true;
  /**
   * How an output stores a field with numbers, booleans and texts. kept: each value keeps its type, or no value has one. text: the
   * column has one type, which is text; as JSON, readers would show the quotes of its texts.
   */
  readonly mixedValues: 'kept' | 'text';
  /**
   * An output can be a table without geometries: a layer that has none becomes one, and all layers do with the write option `geometry: "none"`. Default:
   * features without geometry stay features, or are dropped.
   */
  readonly holdsTables?: true;
  /** Writing it needs hundreds of megabytes for inputs of that size. Default: it does not. */
  readonly needsMuchMemory?: true;
  /** Codes that only this format has; the catalogues take them in. */
  readonly errors: ErrorEntries;
  readonly findings: FindingEntries;
  /** A kind of servers whose layers are fetched as files of the format, by the URL of a layer. Default: no server has layers in this format. */
  readonly layerService?: 'arcgis';
  /** Options under `input`; `optionsKey` groups them as the specification does (csv_options). */
  readonly readOptions: OptionsSchema;
  readonly readOptionsKey?: string;
  /** Options under `output`. */
  readonly writeOptions: OptionsSchema;
  /** Null: the format can only be written. */
  readonly loadReader: (() => Promise<FormatReader>) | null;
  /** What to write in place of a format that can only be read, for messages: "write a .gpkg, which ...". Default: it can be written. */
  readonly outputAdvice?: string;
  /** Null: the format can only be read. */
  readonly loadWriter: (() => Promise<FormatWriter>) | null;
}

export type InputFormat = Format & { readonly loadReader: () => Promise<FormatReader> };
export type OutputFormat = Format & { readonly loadWriter: () => Promise<FormatWriter> };

/** The variant that write options select; null: the usual output. */
export function variantOf(
  { outputVariants = [] }: Format,
  options: Readonly<Record<string, unknown>>,
): OutputVariant | null {
  return outputVariants.find(({ option, values }) => values.includes(options[option])) ?? null;
}

/** Whether an output with these write options has the CRS of the format, whatever is requested. */
export function hasFixedCrs(
  { fixedOutputCrs }: Pick<Format, 'fixedOutputCrs'>,
  options: Readonly<Record<string, unknown>>,
): boolean {
  return fixedOutputCrs !== undefined && (options[fixedOutputCrs.unless ?? ''] ?? 'wgs84') === 'wgs84';
}

/** The variant that a name of the format selects. */
export function variantNamed({ outputVariants = [] }: Format, name: string): OutputVariant | null {
  return outputVariants.find(({ names }) => names.includes(name)) ?? null;
}

/** Media type and ending of an output with these write options. */
export function outputKind(
  format: Format,
  options: Readonly<Record<string, unknown>>,
): Pick<Format, 'mediaType' | 'outputExtension'> {
  const variant = variantOf(format, options);
  if (variant === null) return format;
  return { mediaType: variant.mediaType, outputExtension: variant.extensions[0] };
}

export const isInputFormat = (format: Format): format is InputFormat => format.loadReader !== null;
export const isOutputFormat = (format: Format): format is OutputFormat => format.loadWriter !== null;
