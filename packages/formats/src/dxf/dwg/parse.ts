/** Runs the parser on the bytes of a drawing; whatever it throws is a fault of the file. */
import {
  AttributeEntity,
  Block,
  BlockEnd,
  type BlockRecord,
  type CadDocument,
  DwgReader,
  DwgReaderConfiguration,
  type Entity,
  Seqend,
  Vertex,
} from '@node-projects/acad-ts';
import { allowSteps, boundStreams, isExhausted } from './bounded-streams.ts';
import { MAX_DWG_OBJECTS } from './facts.ts';
import { FileFault } from './file-fault.ts';
import { checkFileMap } from './file-map.ts';
import { repairParser } from './parser-repairs.ts';

/** Greatest sum of the sizes of unpacked sections. */
const MAX_SECTION_BYTES = 512 << 20;
const OBJECTS = 'AcDb:AcDbObjects';

export class TooManyObjects extends Error {
  readonly actual: number;

  constructor(actual: number) {
    super(`${actual} objects`);
    this.actual = actual;
  }
}

export interface ParsedDrawing {
  readonly document: CadDocument;
  /** The entities of model space and of the active paper space. */
  readonly spaces: { readonly model: Iterable<Entity>; readonly paper: Iterable<Entity> };
  /** Offsets of all objects in `objectBytes`, by handle. */
  readonly objectMap: ReadonlyMap<number, number>;
  readonly objectBytes: Uint8Array;
}

/** Members that the parser declares as private, in the version to which package.json pins it. */
interface ParserInternals {
  readonly _builder: {
    readonly modelSpaceEntities: readonly Entity[];
    readonly paperSpaceEntities: readonly Entity[];
  };
  _readHandles(): Map<number, number>;
  _getSectionStream(name: string): { readonly stream: Uint8Array } | null;
}

class Reader extends DwgReader {
  readonly #encoding: string;

  constructor(bytes: ArrayBuffer, encoding: string) {
    super(bytes);
    this.#encoding = encoding;
    this.configuration = new DwgReaderConfiguration();
    // Objects that it cannot read are left out; they are counted from the object map.
    this.configuration.failsafe = true;
    this.configuration.keepUnknownEntities = true;
    this.configuration.readSummaryInfo = false;
  }

  protected override getListedEncoding(): string {
    return this.#encoding;
  }
}

/** `encoding`: of texts before 2007. Throws FileFault. */
export function parseDrawing(bytes: Uint8Array<ArrayBuffer>, mark: string, encoding: string): ParsedDrawing {
  boundStreams();
  repairParser();
  let part = 'the head';
  try {
    checkFileMap(bytes, mark, MAX_SECTION_BYTES);
    // The map is compressed.
    allowSteps(bytes.length * 4);
    const reader = new Reader(bytes.buffer, encoding);
    reader.readFileHeader();
    const internals = reader as unknown as ParserInternals;
    part = 'the object map';
    const objectMap = internals._readHandles();
    if (objectMap.size > MAX_DWG_OBJECTS) throw new TooManyObjects(objectMap.size);
    part = 'the section of objects';
    // R14 and 2000 have the objects between the sections of the file.
    const objectBytes = mark <= 'AC1015' ? bytes : internals._getSectionStream(OBJECTS)?.stream;
    if (objectBytes === undefined) throw new FileFault(part, 'it is missing');
    part = 'the header, the classes or the objects';
    allowSteps(bytes.length + objectBytes.length);
    const document = reader.read();
    if (isExhausted()) throw new FileFault(part, 'its objects refer to the same bytes again and again');
    if (document.modelSpace === null) throw new FileFault(part, 'it has no model space');
    const { modelSpaceEntities, paperSpaceEntities } = internals._builder;
    const spaces = {
      model: entitiesOf(document.modelSpace, modelSpaceEntities),
      paper: entitiesOf(document.paperSpace, paperSpaceEntities),
    };
    return { document, spaces, objectMap, objectBytes };
  } catch (error) {
    if (error instanceof FileFault || error instanceof TooManyObjects) throw error;
    throw new FileFault(part, reasonOf(error));
  }
}

/** Entities that belong to others. */
const PARTS = [Block, BlockEnd, Seqend, Vertex, AttributeEntity];

/** Before 2004 each entity names the next one: those after a damaged one only say themselves in which space they are. */
function entitiesOf(space: BlockRecord | null, ofSpace: readonly Entity[]): ReadonlySet<Entity> {
  return new Set([
    ...(space?.entities ?? []),
    ...ofSpace.filter((entity) => !PARTS.some((part) => entity instanceof part)),
  ]);
}

/** Messages of the parser and of JavaScript, such as "Invalid typed array length: -1". */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 200) : String(error);
}
