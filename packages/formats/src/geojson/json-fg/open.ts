/** Opens a JSON-FG document (OGC 21-045r1): a layer for each feature type and CRS. */
import { failure } from '@geomill/core/messages/errors.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import type { InputFile, OpenContext, Partition, SourceLayer } from '../../reader.ts';
import type { CollectionMembers } from '../collection-members.ts';
import { HEAD_BYTES, type Head } from '../head.ts';
import { geojsonFindings } from '../messages.ts';
import { PartitionReader, type ReadState } from '../partition-reader.ts';
import { cutSource } from '../partitions.ts';
import { type CrsReferences, layersOf } from './layers.ts';
import { declaresJsonFg, EXTENDED_TYPES, featureTypeName, measuresEnabled } from './members.ts';
import type { JsonFgState } from './state.ts';
import { Survey, SurveyParser } from './survey.ts';

/** Texts that a document has near its beginning or its end if it is JSON-FG; others may have them, too. */
const TRACES = new RegExp(
  `json-fg|"coordRefSys"|"place"\\s*:\\s*\\{|"type"\\s*:\\s*"(?:${[...EXTENDED_TYPES].join('|')})"`,
);

const decoder = new TextDecoder('latin1');

/** Whether a closer look is necessary. */
export function hasTraces(source: ByteSource): boolean {
  const { byteLength } = source;
  const isIn = (start: number, end: number): boolean => TRACES.test(decoder.decode(source.slice(start, end)));
  if (isIn(0, Math.min(HEAD_BYTES, byteLength))) return true;
  return byteLength > HEAD_BYTES && isIn(Math.max(HEAD_BYTES, byteLength - HEAD_BYTES), byteLength);
}

/** Null: the document is GeoJSON. Throws what reading its features throws. */
export async function openJsonFg(
  source: ByteSource,
  head: Head,
  file: InputFile,
  state: ReadState,
  context: OpenContext,
): Promise<readonly SourceLayer[] | null> {
  const found = new Findings();
  const { survey, parts, tail } = surveyOf(source, head, state, context.partitionBytes, found);
  const root = (key: string): string | null =>
    head.mode === 'sequence' ? null : (tail?.jsonFg.get(key) ?? head.members.jsonFg.get(key) ?? null);
  const rootCrs = nullIfNone(root('coordRefSys'));
  const isDeclared = survey.isDeclared || declaresJsonFg(root('conformsTo'));
  const statesCrs = survey.statesCrs || rootCrs !== null;
  if (!isDeclared && !statesCrs && !survey.hasExtendedGeometry) return null;
  const { findings } = context;
  if (head.mode === 'collection') for (const members of [head.members, tail]) members?.note(findings, true);
  const prefersPlace = isDeclared || statesCrs;
  const collectionName = head.mode === 'sequence' ? null : (tail?.name ?? head.members.name);
  const name = featureTypeName(root('featureType')) ?? (collectionName || file.name.replace(/\.[^.]*$/, ''));
  const references: CrsReferences = { root: rootCrs, describe: context.describeCrs };
  const { layers, swapped, perCrs, epochs } = await layersOf(
    survey.kinds[prefersPlace ? 'place' : 'geometry'],
    name,
    references,
  );
  for (const epoch of epochs) findings.note(geojsonFindings.JSONFG_EPOCH_DROPPED, { epoch });
  for (const { type, names } of perCrs)
    findings.note(geojsonFindings.JSONFG_LAYER_PER_CRS, { type, layers: names.join(', ') });
  const document: JsonFgState = {
    layers: Object.fromEntries(layers.flatMap(({ keys }, number) => keys.map((key) => [key, number]))),
    swapped,
    rootCrs,
    rootMeasures: measuresEnabled(root('measures')) ?? false,
    prefersPlace,
    timeNames: timeNames(survey.timeProperties),
  };
  return layers.map((layer, number) => ({
    name: layer.name,
    fields: null,
    featureCount: null,
    crs: layer.crs,
    ...(layer.isStated ? { statesCrs: true as const } : {}),
    crsMissingReason: layer.missingReason,
    encoding: 'UTF-8',
    partitions: parts.slice(layer.first, layer.last + 1),
    state: { ...state, jsonFg: { name: layer.name, number, document } } satisfies ReadState,
  }));
}

interface Surveyed {
  readonly survey: Survey;
  /** Each begins with a feature and ends with the next one's start. */
  readonly parts: readonly Partition[];
  readonly tail: CollectionMembers | null;
}

function surveyOf(
  source: ByteSource,
  head: Head,
  state: ReadState,
  partitionBytes: number,
  findings: Findings,
): Surveyed {
  const survey = new Survey();
  const parts: Partition[] = [];
  let tail: CollectionMembers | null = null;
  let start = head.firstStart;
  for (const { end } of cutSource(source, head, partitionBytes)) {
    if (end <= start) continue;
    survey.partition = parts.length;
    const reading = new PartitionReader(
      source,
      state,
      { start, end },
      (members) => members.note(findings, true),
      (scanner) => new SurveyParser(scanner, survey),
    );
    const next = reading.read();
    parts.push({ start, end: next });
    tail ??= reading.tail;
    start = next;
  }
  if (parts.length === 0) throw failure(generalErrors.INPUT_EMPTY, { source: state.fileName });
  return { survey, parts, tail };
}

function nullIfNone(json: string | null): string | null {
  return json === 'null' ? null : json;
}

/** The names that GDAL uses; with a prefix where a property has one of them. */
function timeNames(taken: ReadonlySet<string>): JsonFgState['timeNames'] {
  const free = (name: string): string => (taken.has(name) ? `jsonfg_${name}` : name);
  return { time: free('time'), start: free('time_start'), end: free('time_end') };
}
