/** Opens a geodatabase: lists its feature classes and tables and splits them into partitions. */

import { UTF8 } from '@geomill/core/bytes/utf8.ts';
import type { LayerFacts } from '@geomill/core/columns/field-facts.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import type { Bounds } from '@geomill/core/geometry/bounds.ts';
import { failure, GeomillError } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { generalFindings } from '@geomill/core/messages/general-findings.ts';
import type { ElementJson } from '@geomill/core/text/xml-elements.ts';
import { withSegment } from '@geomill/io/file-segment.ts';
import { checkFieldCount } from '@geomill/io/limits.ts';
import { ScratchSpace } from '@geomill/io/scratch-space.ts';
import { UnpackBudget } from '@geomill/io/unpack-budget.ts';
import { makeNewDirectory } from '@geomill/platform/files.ts';
import { joinedPath } from '@geomill/platform/paths.ts';
import { formatFindings } from '../findings.ts';
import { unpackedSet } from '../packed-set.ts';
import { CRS_WITHOUT_POSITIONS, type InputFile, type OpenContext, type SourceLayer } from '../reader.ts';
import { type Catalogue, type ListedTable, readCatalogue } from './catalogue.ts';
import type { CodedField } from './coded-columns.ts';
import { codedFields, type DomainOption, layerFields } from './coded-fields.ts';
import { noteFieldFacts, noteOtherItems } from './data-model.ts';
import { textAt } from './definition.ts';
import { NO_FACTS, type TableFacts, tableFactsOf } from './domains.ts';
import { fieldFacts } from './field-facts.ts';
import { findGeodatabase, type GdbFolder, type TableFiles, tableName } from './folder.ts';
import { filegdbErrors, filegdbFindings } from './messages.ts';
import { cutRows, type RowCut } from './partitions.ts';
import type { ReadField } from './row-decoder.ts';
import { crsOf } from './spatial-reference.ts';
import type { GdbState } from './state.ts';
import { TABLE_GEOMETRY, type TableHeader } from './table-header.ts';
import { type OpenTable, openTable, readField } from './table-reader.ts';

const UTF16 = 'UTF-16LE';
/** A table consists of about so many files, and the limit of entries of an archive counts tables. */
const FILES_OF_TABLE = 10;
const CRS_UNKNOWN = 'the layer cannot be read';
const NO_CUT: RowCut = { partitions: [], rowCount: 0, rowCounts: [] };

export async function openGeodatabase(file: InputFile, context: OpenContext): Promise<SourceLayer[]> {
  const limits = { ...context.limits, zipEntries: context.limits.zipEntries * FILES_OF_TABLE };
  const budget = new UnpackBudget(limits, context.scratch?.unpacked);
  const folder = await findGeodatabase(file, budget, scratchPaths(context));
  const scratch = context.scratch ?? new ScratchSpace();
  const use = async (files: TableFiles, work: () => void): Promise<void> => {
    const unpacked = files.packed === null ? null : unpackedSet(files.packed);
    if (unpacked !== null) await scratch.hold(unpacked);
    try {
      work();
    } finally {
      if (unpacked !== null) scratch.release(unpacked);
    }
  };
  const catalogue = await readCatalogue(folder, use);
  const layers = await new LayerOpener(folder, catalogue, context, use).open();
  if (context.forSelection !== true && context.attributesOnly !== true)
    noteOtherItems(catalogue, context.findings);
  return layers;
}

function scratchPaths({ scratchDirectory }: OpenContext): () => string {
  let directory: string | null = null;
  let count = 0;
  return () => {
    directory ??= makeNewDirectory(joinedPath(scratchDirectory, 'gdb-'));
    return joinedPath(directory, String(count++));
  };
}

/** A table whose head was read. */
interface FoundTable {
  readonly listed: ListedTable;
  readonly files: TableFiles;
  readonly header: TableHeader;
  readonly open: OpenTable;
}

class LayerOpener {
  readonly #folder: GdbFolder;
  readonly #catalogue: Catalogue;
  readonly #context: OpenContext;
  readonly #use: (files: TableFiles, work: () => void) => Promise<void>;
  #featureTotal = 0;

  constructor(
    folder: GdbFolder,
    catalogue: Catalogue,
    context: OpenContext,
    use: (files: TableFiles, work: () => void) => Promise<void>,
  ) {
    this.#folder = folder;
    this.#catalogue = catalogue;
    this.#context = context;
    this.#use = use;
  }

  /** Throws FILEGDB_NO_FEATURES, LIMIT_EXCEEDED. */
  async open(): Promise<SourceLayer[]> {
    const found: (FoundTable | SourceLayer)[] = [];
    for (const listed of this.#catalogue.tables) {
      const one = await this.#find(listed);
      if (one !== null) found.push(one);
    }
    const isLayer = this.#tableRule(found);
    const layers: SourceLayer[] = [];
    for (const one of found) {
      if (!('header' in one)) {
        layers.push(one);
        continue;
      }
      const skipped = isLayer(one);
      if (skipped === null) layers.push(await this.#layer(one));
      else
        this.#context.findings.note(formatFindings.LAYER_SKIPPED, {
          layer: one.listed.name,
          reason: skipped,
        });
    }
    if (layers.length === 0)
      throw failure(filegdbErrors.FILEGDB_NO_FEATURES, {
        source: this.#folder.source,
        found: this.#catalogue.items.length === 0 ? 'no tables' : 'no tables with data',
      });
    return layers;
  }

  /** Null: nothing of the geodatabase is in the table. */
  async #find(listed: ListedTable): Promise<FoundTable | SourceLayer | null> {
    const { name, number, item } = listed;
    const kind = this.#folder.compression(number);
    if (kind !== null)
      return faulty(name, failure(filegdbErrors.FILEGDB_COMPRESSED, { table: name, kind }, { layer: name }));
    // Of a raster only its side tables have files.
    if (item !== null && /^DERaster/.test(item.definition.kind)) return null;
    const files = this.#folder.tableFiles(number);
    if (files === null) return this.#withoutFile(listed);
    let found: FoundTable | SourceLayer | null = null;
    await this.#use(files, () => {
      found = this.#readHead(listed, files);
    });
    return found;
  }

  /** A feature class without its file cannot be read; a table is one of those that are left out. */
  #withoutFile({ name, number, item }: ListedTable): SourceLayer | null {
    const reason = `there is no ${tableName(number)}.gdbtable, the file of '${name}'; copy all files of the geodatabase`;
    if (item !== null && /^DEFeatureClass/.test(item.definition.kind))
      return faulty(name, failure(filegdbErrors.FILEGDB_FILE, { file: this.#folder.source, reason }));
    this.#context.findings.note(formatFindings.LAYER_SKIPPED, { layer: name, reason }, { layer: name });
    return null;
  }

  #readHead(listed: ListedTable, files: TableFiles): FoundTable | SourceLayer {
    const { name, item } = listed;
    const isUtc = item !== null && textAt(item.definition.content, 'IsTimeInUTC') === 'true';
    try {
      const { header, open } = openTable(files, name, ({ fields }) => this.#readFields(name, fields, isUtc));
      return { listed, files, header, open };
    } catch (error) {
      return faulty(name, error);
    }
  }

  #readFields(layer: string, fields: TableHeader['fields'], isUtc: boolean): ReadField[] {
    const names = new UniqueNames();
    return fields.map((field) => {
      const name = names.take(field.name);
      if (name !== field.name)
        this.#context.findings.note(
          generalFindings.NAME_DUPLICATE,
          { from: field.name, to: name },
          { layer, field: name },
        );
      return readField({ ...field, name }, isUtc);
    });
  }

  /** Why a table is no layer; null: it is one. */
  #tableRule(found: readonly (FoundTable | SourceLayer)[]): (table: FoundTable) => string | null {
    const { attributesOnly, tables } = this.#context;
    const hasFeatures = found.some((one) => 'header' in one && hasGeometry(one));
    return (table) => {
      if (hasGeometry(table) || attributesOnly === true) return null;
      if (!hasFeatures || tables === 'all' || tables?.includes(table.listed.name) === true) return null;
      const more = tables === undefined ? '' : '; it is read if it is chosen by its name';
      return `it holds attributes without geometry${more}`;
    };
  }

  async #layer(found: FoundTable): Promise<SourceLayer> {
    const { listed, files, header, open } = found;
    const { limits, forSelection } = this.#context;
    const { name } = listed;
    let cut = NO_CUT;
    try {
      checkFieldCount(name, header.fields.length, limits);
      if (forSelection !== true)
        await this.#use(files, () => {
          cut = withSegment(open.index, (source) =>
            cutRows(source, open.rowIndex, open.table.byteLength, this.#context.partitionBytes),
          );
        });
    } catch (error) {
      if (error instanceof GeomillError && error.code === 'LIMIT_EXCEEDED') throw error;
      return faulty(name, error);
    }
    this.#countFeatures(cut.rowCount);
    const isCountExact = cut.rowCount === header.rowCount;
    if (!isCountExact && forSelection !== true)
      this.#context.findings.note(
        filegdbFindings.FILEGDB_ROW_COUNT,
        { layer: name, stated: header.rowCount, found: cut.rowCount },
        { layer: name },
      );
    const facts = this.#factsOf(listed);
    const { domains = 'code' } = this.#context.options as { readonly domains?: DomainOption };
    const coded = domains === 'code' ? [] : codedFields(open.fields, facts, domains);
    const state: GdbState = {
      open,
      packed: files.packed,
      grid: hasGeometry(found) ? (header.geometry?.grid ?? null) : null,
      cut,
      isCountExact,
      coded,
    };
    if (forSelection !== true && this.#context.attributesOnly !== true)
      noteFieldFacts(name, header.fields, facts, coded.length > 0, this.#context.findings);
    return { ...this.#sourceLayer(found, state), facts: this.#layerFacts(found, facts, coded) };
  }

  #layerFacts(
    { listed, header, open }: FoundTable,
    facts: TableFacts,
    coded: readonly CodedField[],
  ): LayerFacts {
    const alias = listed.item === null ? '' : textAt(listed.item.definition.content, 'AliasName');
    const fields = fieldFacts(listed.name, open.fields, facts, coded, header.isUtf8);
    return { ...(alias === '' || alias === listed.name ? {} : { title: alias }), fields };
  }

  #sourceLayer({ listed, header, open }: FoundTable, state: GdbState): SourceLayer {
    const { name, item } = listed;
    const content = item?.definition.content ?? null;
    const crs = crsOf(content, this.#datasetOf(listed), header.geometry?.wkt ?? '');
    const extent = header.geometry?.extent ?? [];
    return {
      name,
      fields: layerFields(open.fields, state.coded),
      featureCount: this.#context.forSelection === true || !state.isCountExact ? null : state.cut.rowCount,
      crs: crs.crs,
      ...(crs.definitions.length > 0 ? { crsDefinitions: crs.definitions } : {}),
      crsMissingReason: crs.missingReason,
      statedExtent: isExtent(extent) ? extent : null,
      encoding: header.isUtf8 ? UTF8 : UTF16,
      partitions: state.cut.partitions,
      ...(state.grid === null ? tableLayer() : {}),
      state,
    };
  }

  /** The description of the feature dataset of a class; null: it is in none. */
  #datasetOf({ item }: ListedTable): ElementJson | null {
    const parent = item?.path.slice(0, item.path.lastIndexOf('\\')) ?? '';
    if (parent === '') return null;
    const dataset = this.#catalogue.items.find(
      ({ path, definition }) => path === parent && /^DEFeatureDataset/.test(definition.kind),
    );
    return dataset?.definition.content ?? null;
  }

  #factsOf({ item }: ListedTable): TableFacts {
    return item === null ? NO_FACTS : tableFactsOf(item.definition.content, this.#catalogue.domains);
  }

  #countFeatures(count: number): void {
    const { limits } = this.#context;
    this.#featureTotal += count;
    if (this.#featureTotal > limits.features)
      throw failure(generalErrors.LIMIT_EXCEEDED, {
        what: `the number of features in ${this.#folder.source}`,
        actual: this.#featureTotal,
        limit: limits.features,
        setting: 'MAX_FEATURES',
      });
  }
}

function hasGeometry({ header }: FoundTable): boolean {
  return header.geometryType !== TABLE_GEOMETRY.none && header.geometry !== null;
}

/** A layer that cannot be read although others can. */
function faulty(name: string, error: unknown): SourceLayer {
  if (!(error instanceof GeomillError) || error.fault !== 'user') throw error;
  const head = { fields: null, featureCount: null, crs: null, crsMissingReason: CRS_UNKNOWN, encoding: null };
  return { name, ...head, partitions: [], state: null, fault: error };
}

function tableLayer(): Pick<SourceLayer, 'isTable' | 'assumedCrs'> {
  return { isTable: true, assumedCrs: CRS_WITHOUT_POSITIONS };
}

function isExtent(extent: readonly number[]): extent is Bounds {
  return extent.length === 4 && extent.every(Number.isFinite);
}
