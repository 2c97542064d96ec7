/**
 * Repairs of the parser, in the version to which package.json pins it. They replace methods that it declares as private.
 *
 * - Attributes of block references are stored at their positions in the drawing; the parser moves them by the placement of the block.
 * - A table that has contents of an unknown form is dropped by the parser, although its block draws it: contents are not read.
 * - An object is read to its end at most, so that a damaged count in it spoils nothing else.
 * - Objects that no other object leads to are read, too: before 2004, a damaged entity would hide all that follow it.
 * - Compressed pages are unpacked in bounded time (unpack.ts).
 * - A helix begins with its curve as a spline, which is all that is drawn of it.
 */
import {
  CadTableEntityTemplate,
  DwgObjectReader,
  type DxfClass,
  Insert,
  TableEntity,
} from '@node-projects/acad-ts';
import { endStreamsAt } from './bounded-streams.ts';
import { replaceUnpacking } from './unpack.ts';

type Template = CadTableEntityTemplate;

/** What the repairs need of the parser. */
interface ObjectReader {
  readonly _classes: ReadonlyMap<number, DxfClass>;
  /** Behind the size of the object, and that size. */
  readonly _crcReader: { readonly position: number };
  readonly _size: number;
  readonly _map: ReadonlyMap<number, number>;
  read(): void;
  _enqueueHandle(handle: number): void;
  _getEntityType(offset: number): number;
  _readTableEntity(): Template;
  _readUnlistedType(classNumber: number): Template | null;
  _readSpline(): Template;
  _readInsertCommonData(template: Template): void;
  _readInsertCommonHandles(template: Template): void;
}

let isRepaired = false;

export function repairParser(): void {
  if (isRepaired) return;
  isRepaired = true;
  replaceUnpacking();
  Insert.prototype.applyAttributeTransform = () => {};
  const reader = DwgObjectReader.prototype as unknown as ObjectReader;
  reader._readTableEntity = function (): Template {
    const template = new CadTableEntityTemplate(new TableEntity());
    this._readInsertCommonData(template);
    this._readInsertCommonHandles(template);
    return template;
  };
  boundObjects(reader);
  const readUnlisted = reader._readUnlistedType;
  reader._readUnlistedType = function (classNumber: number): Template | null {
    const isHelix = this._classes.get(classNumber)?.dxfName === 'HELIX';
    return isHelix ? this._readSpline() : readUnlisted.call(this, classNumber);
  };
}

function boundObjects(reader: ObjectReader): void {
  const { read, _getEntityType: begin } = reader;
  reader._getEntityType = function (offset: number): number {
    endStreamsAt(Number.POSITIVE_INFINITY);
    const type = begin.call(this, offset);
    endStreamsAt(this._crcReader.position + this._size);
    return type;
  };
  reader.read = function (): void {
    read.call(this);
    // Objects to which no other one leads, since that one is damaged.
    for (const handle of this._map.keys()) this._enqueueHandle(handle);
    read.call(this);
    endStreamsAt(Number.POSITIVE_INFINITY);
  };
}
