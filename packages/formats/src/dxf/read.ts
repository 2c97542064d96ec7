/** Reads DXF (AutoCAD drawing interchange), text and binary, releases 9 to 2018, in partitions. */
import { UTF8 } from '@geomill/core/bytes/utf8.ts';
import { DEFAULT_STROKING } from '@geomill/core/geometry/arc.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import { CR, LF } from '@geomill/core/text/ascii.ts';
import { type ByteSource, openFileSource } from '@geomill/io/byte-source.ts';
import { sampleTextFile } from '@geomill/io/text-samples.ts';
import type {
  FormatReader,
  InputFile,
  OpenContext,
  Partition,
  PartitionRead,
  PartitionRequest,
  SourceLayer,
} from '../reader.ts';
import { DrawingFeatures, type DrawingSettings } from './features/drawing-features.ts';
import type { EntityScan } from './head/drawing.ts';
import type { DrawingState, EntityRange, TagFacts } from './head/drawing-state.ts';
import { openDrawing } from './head/open.ts';
import { dxfFindings } from './messages.ts';
import { SHAPES } from './shapes/shapes.ts';
import { DrawingText } from './tags/drawing-text.ts';
import { type BrokenRecord, RecordReader } from './tags/record-reader.ts';

/** Bytes loaded after the end of a partition: the last feature's entities may continue there. */
const MARGIN_BYTES = 1 << 14;
/** An entity has at most about three tags per position, and few others. */
const TAGS_PER_POSITION = 4;

export const reader: FormatReader = {
  typing: 'value',
  mixedType: 'string',
  ids: 'data',

  async open(file: InputFile, context: OpenContext): Promise<readonly SourceLayer[]> {
    using source = openFileSource(file.path);
    return [openDrawing(source, file, context)];
  },

  async describeText(_file: InputFile, _context: OpenContext, open) {
    const [{ encoding, encodingOrigin = 'default', state }] = await open();
    const { path, form } = state as DrawingState;
    using source = openFileSource(path);
    // A binary drawing has numbers between its texts.
    const samples = form === 'ascii' ? sampleTextFile(source, [CR, LF]).texts : [];
    return { encoding: encoding ?? UTF8, origin: encodingOrigin, samples, table: null };
  },

  otherContent: async () => ['the layers, blocks, styles and layouts of the drawing'],

  readPartition(layer: SourceLayer, partition: Partition, request: PartitionRequest): PartitionRead {
    const state = layer.state as DrawingState;
    using source = openFileSource(state.path);
    return readEntities(source, layer.name, state, partition, request);
  },
};

function readEntities(
  source: ByteSource,
  layerName: string,
  state: DrawingState,
  partition: Partition,
  { fields, limits }: PartitionRequest,
): PartitionRead {
  const findings = new Findings();
  const text = new DrawingText(state.encoding, state.fallbackEncoding);
  const scan = entityScan(source, state, text);
  const features = new DrawingFeatures(state, scan, settingsOf(state), limits, findings, layerName);
  const rangeIndex = state.ranges.findIndex(({ end }) => partition.start < end);
  const range: EntityRange | undefined = state.ranges[rangeIndex];
  if (range === undefined)
    return {
      batch: features.finish(fields),
      nextStart: partition.end,
      recordCount: 0,
      lineCount: 0,
      findings: [],
    };
  const linesBefore = state.ranges[0].gapLines;
  const end = Math.min(partition.end, range.end);
  const records = new RecordReader(source, state, partition.start, {
    windowBytes: Math.min(end + MARGIN_BYTES, range.end + 64) - partition.start,
    tagLimit: limits.coordinatesPerFeature * TAGS_PER_POSITION + 1000,
    text,
    linesBefore,
    end: range.end,
  });
  let recordCount = 0;
  if (partition.start === range.start && !records.readTags() && records.broken !== null)
    noteBroken(records.broken, linesBefore + 1, findings);
  let nextStart = records.position;
  let lineCount = records.lineCount;
  while (records.position < range.end) {
    const isWhole = records.next();
    const { recordStart } = records;
    // After the end, only a feature that began before it is read to its end.
    if (recordStart >= end && !(isWhole && features.continues(records.entity))) break;
    const line = state.form === 'ascii' ? linesBefore + records.recordLine + 1 : 0;
    // The rest of an entity that is broken in the middle.
    const isRest = isWhole && records.entity.tags.type === 'SEQEND';
    if (isWhole && !isRest)
      features.add(records.entity, recordStart, records.position, line, range.isPaperSpace);
    else if (records.broken !== null) noteBroken(records.broken, line, findings);
    recordCount++;
    nextStart = records.position;
    lineCount = records.lineCount;
  }
  if (nextStart >= range.end) {
    const following: EntityRange | undefined = state.ranges[rangeIndex + 1];
    nextStart = following === undefined ? range.end : following.start;
    lineCount += following === undefined ? 0 : following.gapLines;
  }
  noteTexts(text, state, findings);
  return { batch: features.finish(fields), nextStart, recordCount, lineCount, findings: findings.found() };
}

function noteTexts(
  text: DrawingText,
  { encoding, fallbackEncoding }: DrawingState,
  findings: Findings,
): void {
  if (text.otherCount > 0 && encoding === UTF8)
    findings.note(
      dxfFindings.TEXT_BY_CODE_PAGE,
      { encoding, fallback: fallbackEncoding ?? '' },
      undefined,
      text.otherCount,
    );
  else if (text.otherCount > 0)
    findings.note(dxfFindings.TEXT_IN_UTF8, { encoding }, undefined, text.otherCount);
  if (text.replacedCount > 0)
    findings.note(dxfFindings.TEXT_BYTES_REPLACED, { encoding }, undefined, text.replacedCount);
}

function settingsOf(state: DrawingState): DrawingSettings {
  return {
    layouts: state.layouts,
    blocks: state.blockMode,
    drawingFields: state.withDrawingFields,
    hasOffsets: state.isTranslated !== true,
    shapes: SHAPES,
    stroke: {
      maxStepRadians: DEFAULT_STROKING.maxStepRadians,
      toleranceUnits: state.toleranceUnits,
      maxStepCount: state.maxStepCount,
      closedAsPolygons: state.closedAsPolygons,
    },
  };
}

function noteBroken({ type, handle, reason }: BrokenRecord, line: number, findings: Findings): void {
  const location = handle === '' ? { line } : { line, id: handle };
  findings.note(dxfFindings.ENTITY_SKIPPED, { type: type === '' ? 'unnamed' : type, reason }, location);
}

/** Blocks are mostly small; windows grow for larger ones. */
const WINDOW_BYTES = 1 << 13;

/**
 * Reads entities anywhere in a drawing while others are being read: the contents of blocks. Scans may be nested: each
 * level has a reader of its own, which is created once. Broken entities are skipped.
 */
function entityScan(source: ByteSource, facts: TagFacts, text: DrawingText): EntityScan {
  const readers: RecordReader[] = [];
  let depth = 0;
  return (start, end, visit) => {
    let records = readers[depth];
    if (records === undefined) {
      const options = { windowBytes: WINDOW_BYTES, ownMemory: true, text, linesBefore: null };
      records = new RecordReader(source, facts, start, options);
      readers[depth] = records;
    } else records.seek(start);
    depth++;
    try {
      while (records.position < end) if (records.next()) visit(records.entity);
    } finally {
      depth--;
    }
  };
}
