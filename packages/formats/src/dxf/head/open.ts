/** Opens a drawing: reads sections, variables, layers and blocks, and locates its entities. */
import { failure } from '@geomill/core/messages/errors.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { ByteSource } from '@geomill/io/byte-source.ts';
import type { InputFile, OpenContext, SourceLayer } from '../../reader.ts';
import { metresPerUnit } from '../drawing-units.ts';
import { dxfErrors, dxfFindings } from '../messages.ts';
import { countSourceLines } from '../tags/lines.ts';
import { RecordReader } from '../tags/record-reader.ts';
import { readClips } from './clips.ts';
import type { BlockRecord, LayerRecord } from './drawing.ts';
import { drawingCrs } from './drawing-crs.ts';
import type { DrawingState, EntityRange, TagFacts } from './drawing-state.ts';
import { drawingEncoding, type HeaderVariables, headerVariables } from './header.ts';
import { cutRanges } from './partitions.ts';
import { recognise } from './recognise.ts';
import { findSections, type Section, type SectionList } from './sections.ts';
import { layoutOfBlock, readBlocks, readLayers } from './tables.ts';

const WINDOW_BYTES = 1 << 20;
/** Default for input.curve_tolerance: distance of chords from curves, relative to the drawing's longer side. */
const TOLERANCE_OF_EXTENT = 1e-4;
/**
 * A circle as large as the extent takes 222 steps at that tolerance, and an arc within the extent takes no more,
 * however large its radius. A curve that takes more is far outside, or the extent is wrong: without this limit, a
 * drawing of a thousand circles that declares an extent of a nanometre would take gigabytes.
 */
const MAX_DEFAULT_STEPS = 256;
const MAX_STATED_STEPS = 1 << 16;
/** Space for the record after a section. */
const SECTION_END_BYTES = 1 << 12;
/**
 * Drawings have about ten sections, damaged ones hundreds, and at most 256 layouts; each is opened and read separately.
 */
const MAX_SECTIONS = 4096;
const MAX_LAYOUTS = 1024;

export function openDrawing(source: ByteSource, file: InputFile, context: OpenContext): SourceLayer {
  const { findings, options } = context;
  const { form, start } = recognise(source, file.name);
  const plain: TagFacts = { fileName: file.name, form, encoding: 'windows-1252', fallbackEncoding: null };
  const list = form === 'ascii' ? findSections(source, file.name) : walkSections(source, plain, start);
  const { sections } = list;
  needAtMost(sections.length, MAX_SECTIONS, 'the number of sections of a drawing');
  requireEntities(sections, file.name);
  if (!list.hasEof) findings.note(dxfFindings.EOF_MISSING, { file: file.name });
  const header = readHeader(source, plain, sections, findings);
  const requested = typeof options.encoding === 'string' ? options.encoding : null;
  const { origin, ...encodings } = drawingEncoding(header, requested, file.name, findings);
  const facts: TagFacts = { ...plain, ...encodings };
  const layers = new Map<string, LayerRecord>();
  const blocks = new Map<string, BlockRecord>();
  const onBroken = (reader: RecordReader): void => noteBroken(reader, file.name, findings);
  const onBrokenEntity = (reader: RecordReader): void => noteBrokenEntity(reader, findings);
  for (const { name, start: at, end } of sections) {
    if (name === 'TABLES') readLayers(readerAt(source, facts, at, end), end, layers, onBroken);
    else if (name === 'BLOCKS')
      readBlocks(readerAt(source, facts, at, end), end, blocks, onBroken, onBrokenEntity);
  }
  const layouts = options.layouts === 'all' ? 'all' : 'model';
  const { crs, missingReason } = drawingCrs(source, facts, sections);
  const ranges = entityRanges(source, facts, sections, blocks, layouts);
  needAtMost(ranges.length, MAX_LAYOUTS, 'the number of layouts with entities');
  const state: DrawingState = {
    ...facts,
    path: file.path,
    layers,
    blocks,
    ranges,
    clipDictionaries: readClips(source, facts, sections),
    layouts,
    toleranceUnits: toleranceOf(options, header),
    maxStepCount: typeof options.curve_tolerance === 'number' ? MAX_STATED_STEPS : MAX_DEFAULT_STEPS,
    blockMode: options.blocks === 'points' ? 'points' : 'explode',
    closedAsPolygons: options.closed_polylines === 'polygons',
    withDrawingFields: options.drawing_fields === true,
  };
  return {
    name: file.name.replace(/\.[^.]*$/, ''),
    fields: null,
    featureCount: null,
    crs,
    crsMissingReason: missingReason,
    encoding: facts.encoding,
    encodingOrigin: origin,
    metresPerUnit: metresPerUnit(header.insertionUnits),
    partitions: cutRanges(source, facts, ranges, context.partitionBytes),
    state,
  };
}

function needAtMost(actual: number, limit: number, what: string): void {
  if (actual > limit)
    throw failure(generalErrors.LIMIT_EXCEEDED, { what, actual, limit, setting: 'a fixed limit' });
}

/** `end`: expected end of reading; windows of many small sections are small. */
function readerAt(
  source: ByteSource,
  facts: TagFacts,
  start: number,
  end: number = source.byteLength,
): RecordReader {
  const windowBytes = Math.min(WINDOW_BYTES, end - start + SECTION_END_BYTES);
  return new RecordReader(source, facts, start, { windowBytes, linesBefore: null });
}

function requireEntities(sections: readonly Section[], fileName: string): void {
  if (sections.some(({ name }) => name === 'ENTITIES')) return;
  const names = sections.map(({ name }) => name).join(', ');
  const found = names === '' ? 'no section' : `only ${names}`;
  throw failure(dxfErrors.DXF_NO_ENTITIES, { source: fileName, found });
}

function readHeader(
  source: ByteSource,
  facts: TagFacts,
  sections: readonly Section[],
  findings: Findings,
): HeaderVariables {
  const section = sections.find(({ name }) => name === 'HEADER');
  if (section === undefined) return headerVariables(null);
  const reader = readerAt(source, facts, section.start);
  // A damaged variable makes the following ones unreadable, but those that the reader needs mostly come first.
  const isWhole = reader.readTags();
  const header = headerVariables(reader.entity.tags);
  if (!isWhole) noteBroken(reader, facts.fileName, findings);
  return header;
}

function noteBroken(reader: RecordReader, fileName: string, findings: Findings): void {
  const reason = reader.broken?.reason ?? '';
  findings.note(dxfFindings.HEAD_ENTRY_SKIPPED, { file: fileName, reason }, { offset: reader.recordStart });
}

function noteBrokenEntity({ broken, recordStart }: RecordReader, findings: Findings): void {
  const { type = '', handle = '', reason = '' } = broken ?? {};
  const location = { offset: recordStart, ...(handle === '' ? {} : { id: handle }) };
  findings.note(dxfFindings.ENTITY_SKIPPED, { type: type === '' ? 'unnamed' : type, reason }, location);
}

/** `input.curve_tolerance` in drawing units, or a fraction of the extent in the HEADER. */
function toleranceOf(options: OpenContext['options'], header: HeaderVariables): number | null {
  if (typeof options.curve_tolerance === 'number') return options.curve_tolerance;
  return header.extentUnits === null ? null : header.extentUnits * TOLERANCE_OF_EXTENT;
}

/**
 * The ENTITIES sections, and the blocks of layouts with entities of their own: paper spaces other than the active one,
 * whose entities are in ENTITIES like those of model space.
 */
function entityRanges(
  source: ByteSource,
  facts: TagFacts,
  sections: readonly Section[],
  blocks: ReadonlyMap<string, BlockRecord>,
  layouts: 'model' | 'all',
): EntityRange[] {
  const found: { start: number; end: number; isPaperSpace: boolean }[] = [];
  for (const { name, start, end } of sections)
    if (name === 'ENTITIES' && end > start) found.push({ start, end, isPaperSpace: false });
  for (const { name, start, end } of blocks.values()) {
    const layout = layoutOfBlock(name);
    if (layout !== null && end > start && (layout === 'model' || layouts === 'all'))
      found.push({ start, end, isPaperSpace: layout === 'paper' });
  }
  found.sort((a, b) => a.start - b.start);
  let before = 0;
  return found.map((range) => {
    const gapLines = facts.form === 'ascii' ? countSourceLines(source, before, range.start) : 0;
    before = range.end;
    return { ...range, gapLines };
  });
}

/** The sections of a binary drawing, found by reading all its records. Throws DXF_BINARY. */
function walkSections(source: ByteSource, facts: TagFacts, start: number): SectionList {
  const reader = readerAt(source, facts, start);
  reader.readTags();
  const sections: Section[] = [];
  let open: { name: string; start: number } | null = null;
  for (;;) {
    const type = reader.peek();
    if (type === 'EOF') break;
    if (type === null && open === null) return { sections, hasEof: false };
    reader.next();
    const { tags } = reader.entity;
    if (type === 'SECTION') {
      const at = tags.find(2);
      open =
        at < 0
          ? { name: '', start: reader.position }
          : { name: tags.text(at).toUpperCase(), start: reader.offsetBehind(at) };
    } else if (type === 'ENDSEC' && open !== null) {
      sections.push({ ...open, end: reader.recordStart });
      open = null;
    }
  }
  if (open !== null) sections.push({ ...open, end: reader.position });
  return { sections, hasEof: true };
}
