/** Opens KML and KMZ: finds the document, its encoding and its root, and makes layers of its structure. */
import type { FactsByField, FieldFacts } from '@geomill/core/columns/field-facts.ts';
import type { TextHint } from '@geomill/core/columns/text-columns.ts';
import { UniqueNames } from '@geomill/core/columns/unique-names.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { XmlScanner } from '@geomill/core/text/xml-scanner.ts';
import { openSegment } from '@geomill/io/file-segment.ts';
import { partitionsOf } from '../counted-parts.ts';
import type { InputFile, OpenContext, SourceLayer } from '../reader.ts';
import { inUtf8, readXmlRoot } from '../xml-document.ts';
import { type FoundDocument, findDocuments, linkedPath } from './kmz.ts';
import { kmlErrors, kmlFindings } from './messages.ts';
import { isFeatureName, type KmlName, kmlName } from './names.ts';
import type { DocumentState, LayerState, SchemaTypes } from './state.ts';
import { type FoundLayer, readStructure, type Schema, type Structure } from './structure.ts';
import { resolveStyles } from './styles.ts';

/** Layers of a conversion cost memory each, and a document of more has a folder for each feature. */
const MAX_LAYERS = 10_000;
const LINKS_SHOWN = 5;

/** A document that was opened, with its layers. */
interface OpenedDocument {
  readonly encoding: string;
  readonly structure: Structure;
  readonly state: DocumentState;
  readonly layers: readonly NamedLayer[];
  /** Network links to files that are not in the archive. */
  readonly links: readonly string[];
  readonly linkCount: number;
}

/** Throws INPUT_EMPTY, INPUT_WRONG_FORMAT, TEXT_ENCODING_UNKNOWN, TEXT_ENCODING_INVALID, XML_SYNTAX, KML_ and KMZ_ codes. */
export async function openKml(file: InputFile, context: OpenContext): Promise<SourceLayer[]> {
  const names = new UniqueNames();
  const found = await findDocuments(file, context);
  const paths = new Set(found.map(({ path }) => path.toLowerCase()));
  const documents = found.map((document) => openDocument(document, paths, file, context, names));
  const hasFeatures = ({ layers }: OpenedDocument): boolean =>
    layers.some(({ featureCount }) => featureCount > 0);
  const used = documents.filter(hasFeatures);
  const linkCount = documents.reduce((sum, document) => sum + document.linkCount, 0);
  const links = documents.flatMap((document) => document.links);
  if (used.length === 0 && linkCount > 0)
    throw failure(kmlErrors.KML_ONLY_LINKS, {
      source: file.name,
      count: linkCount,
      links: shownLinks(links, linkCount),
    });
  if (linkCount > 0)
    context.findings.note(
      kmlFindings.KML_LINKS_NOT_FOLLOWED,
      { links: shownLinks(links, linkCount) },
      undefined,
      linkCount,
    );
  // A document that only links to others has a layer without features.
  const read = used.length === 0 ? documents.slice(0, 1) : used;
  const layerCount = read.reduce((sum, { layers }) => sum + layers.length, 0);
  if (layerCount > MAX_LAYERS)
    throw failure(generalErrors.LIMIT_EXCEEDED, {
      what: 'the number of folders with features',
      actual: layerCount,
      limit: MAX_LAYERS,
      setting: 'a fixed limit',
    });
  const layers = read.flatMap((document) => sourceLayers(document, context));
  const total = layers.reduce((sum, { featureCount }) => sum + (featureCount ?? 0), 0);
  if (total > context.limits.features)
    throw failure(generalErrors.LIMIT_EXCEEDED, {
      what: 'the number of features',
      actual: total,
      limit: context.limits.features,
      setting: 'MAX_FEATURES',
    });
  return layers;
}

function openDocument(
  { segment: found, path, stem }: FoundDocument,
  paths: ReadonlySet<string>,
  file: InputFile,
  context: OpenContext,
  names: UniqueNames,
): OpenedDocument {
  const { segment, encoding } = inUtf8(found, file, context);
  using source = openSegment(segment);
  const root = readXmlRoot(source, file.name, 'KML', rootName);
  const structure = readStructure(source, file.name, root, context.partitionBytes);
  noteStructure(structure, context);
  const outside = structure.links.filter((link) => {
    const linked = linkedPath(link, path).toLowerCase();
    return linked === '' || !paths.has(linked);
  });
  return {
    encoding,
    structure,
    layers: layersOf(structure, stem, names),
    links: outside,
    linkCount: structure.linkCount - (structure.links.length - outside.length),
    state: {
      segment,
      fileName: file.name,
      rootPrefix: structure.rootPrefix,
      placemarkNames: structure.placemarkNames,
      styles: resolveStyles(structure.styles),
      hasStandardFields: context.options.standard_fields !== 'used',
    },
  };
}

function sourceLayers(
  { encoding, state: document, layers }: OpenedDocument,
  { partitionBytes }: OpenContext,
): SourceLayer[] {
  return layers.map(({ name, parts, featureCount, declared, aliases, types, arrays }) => {
    const state: LayerState = { document, parts: Float64Array.from(parts), types, arrays, declared };
    return {
      name,
      fields: null,
      featureCount,
      crs: 'EPSG:4326',
      crsMissingReason: '',
      encoding,
      partitions: partitionsOf(parts, partitionBytes),
      ...(aliases.size === 0 ? {} : { facts: { fields: aliases } }),
      state,
    };
  });
}

/** Elements that a document may consist of. */
function rootName(scanner: XmlScanner, prefix: Uint8Array): KmlName | null {
  const name = kmlName(scanner, prefix);
  return name === 'kml' || name === 'Document' || name === 'Folder' || isFeatureName(name) ? name : null;
}

function noteStructure(structure: Structure, { findings }: OpenContext): void {
  const { updateCount, ignored, reducedCount } = structure;
  if (updateCount > 0) findings.note(kmlFindings.KML_UPDATES_IGNORED, {}, undefined, updateCount);
  for (const [name, count] of ignored)
    findings.note(kmlFindings.KML_ELEMENTS_IGNORED, { name }, undefined, count);
  if (reducedCount > 0) findings.note(kmlFindings.KML_STYLES_REDUCED, {}, undefined, reducedCount);
}

function shownLinks(links: readonly string[], count: number): string {
  const shown = links.slice(0, LINKS_SHOWN).map((link) => link || '(no address)');
  return count > shown.length ? `${shown.join(', ')} and ${count - shown.length} more` : shown.join(', ');
}

interface NamedLayer extends FoundLayer {
  readonly name: string;
  readonly types: SchemaTypes;
  readonly arrays: SchemaTypes;
  readonly declared: readonly string[];
  readonly aliases: FactsByField;
}

/** Documents and folders with features, and those without that have a Schema of their name; at least one. */
function layersOf({ containers, schemas }: Structure, stem: string, names: UniqueNames): NamedLayer[] {
  const used = containers.filter(
    (one) => one.featureCount > 0 || (!one.hasInner && schemaOf(one, schemas) !== undefined),
  );
  const kept = used.length > 0 ? used : containers.slice(0, 1);
  const all = typesOf(schemas);
  const withFeatures = kept.filter(({ featureCount }) => featureCount > 0);
  return kept.map((layer) => {
    const schema =
      schemaOf(layer, schemas) ??
      (withFeatures.length === 1 && schemas.length === 1 ? schemas[0] : undefined);
    return {
      ...layer,
      name: names.take(layer.name || stem),
      declared: schema?.fields.map(({ name }) => name) ?? [],
      aliases: aliasesOf(schema),
      types: schema === undefined ? all : new Map([...all, ...typesOf([schema])]),
      arrays: elementTypesOf(schema === undefined ? schemas : [...schemas, schema]),
    };
  });
}

function aliasesOf(schema: Schema | undefined): FactsByField {
  const named = (schema?.fields ?? []).flatMap(({ name, alias }): [string, FieldFacts][] =>
    alias === null || alias === name ? [] : [[name, { alias }]],
  );
  return new Map(named);
}

/** The only Schema of the document itself, or the one with its name; GDAL adds '.schema' to the id. */
function schemaOf(layer: FoundLayer, schemas: readonly Schema[]): Schema | undefined {
  const own = schemas.filter(({ owner }) => owner === layer);
  if (own.length === 1 && !layer.hasInner) return own[0];
  const { name } = layer;
  if (name === null) return undefined;
  return schemas.find((schema) => [schema.name, schema.id].includes(name) || schema.id === `${name}.schema`);
}

function typesOf(schemas: readonly Schema[]): Map<string, TextHint> {
  const types = new Map<string, TextHint>();
  for (const { fields } of schemas)
    for (const { name, hint } of fields) {
      const known = types.get(name);
      types.set(name, known === undefined || known === hint ? hint : null);
    }
  return types;
}

/** Types of the elements of arrays; those of a name with several types are texts. */
function elementTypesOf(schemas: readonly Schema[]): Map<string, TextHint> {
  const types = new Map<string, TextHint>();
  for (const { fields } of schemas)
    for (const { name, elements } of fields) {
      if (elements === undefined) continue;
      const known = types.get(name);
      types.set(name, known === undefined || known === elements ? elements : null);
    }
  return types;
}
