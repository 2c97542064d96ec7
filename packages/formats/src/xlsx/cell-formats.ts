/** What the styles of a workbook say about the numbers of cells. */
import type { FileSegment } from '@geomill/io/file-segment.ts';
import { kindOfFormat } from './number-formats.ts';
import { eachElement } from './xml-part.ts';

/** By the number of a style: the kind of its numbers (see number-formats.ts). Styles that are missing have numbers. Threads share it. */
export type CellFormats = Uint8Array<SharedArrayBuffer>;

export const NO_FORMATS: CellFormats = new Uint8Array(new SharedArrayBuffer(0));

/** Programs write at most 65,490 styles. */
const MAX_STYLES = 1 << 20;

export function readFormats(segment: FileSegment): CellFormats {
  const codes = new Map<number, string>();
  const ids: number[] = [];
  let isInCellFormats = false;
  eachElement(segment, (element) => {
    const { name } = element;
    if (element.depth === 2) isInCellFormats = name === 'cellXfs';
    if (name === 'numFmt' && element.depth === 3)
      codes.set(Number(element.attribute('numFmtId')), element.attribute('formatCode') ?? '');
    else if (name === 'xf' && isInCellFormats && ids.length < MAX_STYLES)
      ids.push(Number(element.attribute('numFmtId') ?? 0));
  });
  const formats = new Uint8Array(new SharedArrayBuffer(ids.length));
  for (const [style, id] of ids.entries()) formats[style] = kindOfFormat(id, codes.get(id));
  return formats;
}
