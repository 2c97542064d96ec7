/** What tests and benchmarks need to know of a format beyond its record: test/fixtures/<id>/format.json. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Format } from '../../packages/formats/src/format.ts';
import { formats } from '../../packages/formats/src/registry.ts';

export interface FormatTraits {
  /** GDAL's driver and its options; null: GDAL cannot judge the format. */
  readonly gdal: {
    readonly driver: string;
    /** Writes the same in benchmarks: LIBKML takes minutes for 20,000 features, and more than twice as long for twice as many. */
    readonly fastDriver?: string;
    readonly openOptions: readonly string[];
    readonly layerOptions: readonly string[];
    /** Creation options of a file. Default: none. */
    readonly datasetOptions?: readonly string[];
    /** GDAL finds the features and fields of a file as we do; false: it has a view of its own, as of drawings. */
    readonly findsSameRows: boolean;
  } | null;
  /** Where `gdal` is null: whether a driver of GDAL reads the format, which it cannot write. Default: no driver does. */
  readonly gdalReads?: boolean;
  /** Where geomill cannot write the format: GDAL's driver that makes inputs of benchmarks. Missing: there are none. */
  readonly gdalMakes?: string;
  /**
   * Where `gdal` is null: GDAL's driver knows the table without geometries. Benchmarks take these from a field with WKT, through a
   * virtual layer, and write them to one.
   */
  readonly gdalTable?: { readonly driver: string; readonly wktField: string };
  /** Why files state no boxes of layers or features. Default: `STATED_BOXES` reads them. */
  readonly statesNoBoxes?: string;
  /** What of GeoJSON features comes back after writing and reading the format. */
  readonly roundTrip: {
    /**
     * drawn: all with a position. one kind: all, of one kind and dimension a layer. points and multi lines: of those, all with a
     * position, of one kind and dimension. flat: of all kinds, without Z, and not empty; no collections.
     */
    readonly geometries: 'any' | 'drawn' | 'one kind' | 'points and multi lines' | 'flat';
    /** flat with local times: times of the day have no zone. */
    readonly properties: 'any' | 'flat' | 'flat without booleans' | 'flat with local times' | 'none';
    readonly ids: 'any' | 'integers and texts' | 'ascending integers' | 'none';
    /** Write options with which it holds. */
    readonly options?: Readonly<Record<string, unknown>>;
    /** Read options with which it holds. */
    readonly readOptions?: Readonly<Record<string, unknown>>;
    /** Write options with which features keep their order. Default: they always do. */
    readonly inOrder?: Readonly<Record<string, unknown>>;
  };
  /** How fixtures are read. */
  readonly fixtures?: {
    readonly options?: Readonly<Record<string, unknown>>;
    /** Digits behind the point that are compared, where coordinates are computed. */
    readonly digits?: number;
  };
}

const FIXTURES = join(import.meta.dirname, '..', 'fixtures');
const known = new Map<string, FormatTraits>();

export function traitsOf(id: string): FormatTraits {
  const traits =
    known.get(id) ?? (JSON.parse(readFileSync(join(FIXTURES, id, 'format.json'), 'utf8')) as FormatTraits);
  known.set(id, traits);
  return traits;
}

export function recordOf(id: string): Format {
  const format = formats.find((candidate) => candidate.id === id);
  if (format === undefined) throw new Error(`there is no format ${id}`);
  return format;
}

/** Whether a format stores only features with a position. */
export function isDrawn(id: string): boolean {
  const { geometries } = traitsOf(id).roundTrip;
  return geometries === 'drawn' || geometries === 'points and multi lines';
}

/** Write options with which features keep their order. */
export function inOrder(id: string): Readonly<Record<string, unknown>> {
  return traitsOf(id).roundTrip.inOrder ?? {};
}

/** The CRS to state for inputs of a format: EPSG:4326 where files cannot state theirs. */
export function statedCrs(id: string): string | null {
  return recordOf(id).inputCrs === 'request' ? 'EPSG:4326' : null;
}
