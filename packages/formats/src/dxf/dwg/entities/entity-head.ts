/** The tags that all entities have: handle, layer, colour, linetype, XDATA. */
import type { Entity, ExtendedDataRecord, Insert } from '@node-projects/acad-ts';
import { TAG_VALUE, TAG_VALUES } from '../../tags/tag-values.ts';
import type { TagOutput } from '../tag-output.ts';

/** Whose XDATA is read; that of other applications is only counted. */
const OWN_APPLICATION = 'GEOMILL';
const APPLICATION = 1001;
const BY_LAYER = 'BYLAYER';

/** `type`: code 0. */
export function writeHead(output: TagOutput, type: string, entity: Entity, isPaperSpace: boolean): void {
  output.begin(type);
  output.handle(5, entity.handle);
  if (isClipped(entity)) writeDictionaryOf(output, entity);
  output.text(100, 'AcDbEntity');
  if (isPaperSpace) output.number(67, 1);
  output.text(8, entity.layer.name);
  const linetype = entity.lineType.name;
  if (linetype.toUpperCase() !== BY_LAYER) output.text(6, linetype);
  const color = entity.bookColor?.color ?? entity.color;
  if (color.isTrueColor) output.number(420, color.trueColor);
  else if (!color.isByLayer) output.number(62, color.index);
}

/** Whether an entity of a block reference has a filter: the reader of drawings needs the dictionary that leads to it. */
function isClipped(entity: Entity): boolean {
  return (
    'insertPoint' in entity && entity.xDictionary !== null && entity.xDictionary.containsKey('ACAD_FILTER')
  );
}

function writeDictionaryOf(output: TagOutput, entity: Entity): void {
  output.text(102, '{ACAD_XDICTIONARY');
  output.handle(360, entity.xDictionary?.handle ?? 0);
  output.text(102, '}');
}

export function writeXdata(output: TagOutput, entity: Entity): void {
  for (const [application, { records }] of entity.extendedData) {
    output.text(APPLICATION, application.name);
    if (application.name === OWN_APPLICATION) for (const record of records) writeRecord(output, record);
  }
}

/** Our XDATA has texts, numbers and bytes. */
function writeRecord(output: TagOutput, { code, rawValue }: ExtendedDataRecord): void {
  const kind = TAG_VALUES[code];
  if (kind === TAG_VALUE.chunk && rawValue instanceof Uint8Array) output.chunk(code, rawValue);
  else if (kind === TAG_VALUE.text && typeof rawValue === 'string') output.text(code, rawValue);
  else if (typeof rawValue === 'number' && kind !== TAG_VALUE.text) output.number(code, rawValue);
}

/** The tags of INSERT and its like that place a block. */
export function blockNameOf(insert: Pick<Insert, 'block'>): string {
  return insert.block?.name ?? '';
}
