/**
 * Writes the part of a drawing before its entities: comments, HEADER, CLASSES, TABLES and BLOCKS, as AutoCAD 2018
 * (AC1032) requires them. The sink writes it twice: first for its length, then when layers, extent and handles are
 * known.
 */

import { utf8Length } from '@geomill/platform/bytes.ts';
import type { DrawingFacts } from './drawing-tables.ts';
import { type DrawingTotals, drawingTables } from './drawing-tables.ts';
import { extentCorners } from './extent.ts';
import { HANDLE } from './handles.ts';
import { blockDefinitions, type KnownBlocks } from './point-blocks.ts';
import { pointLines, tagLine, tagLines } from './tag-text.ts';

/** Class name, C++ name, application and capability flags of the object types that drawings declare. */
const CLASSES = [
  'ACDBDICTIONARYWDFLT, AcDbDictionaryWithDefault, ObjectDBX Classes, 0',
  'SUN, AcDbSun, SCENEOE, 1153',
  'VISUALSTYLE, AcDbVisualStyle, ObjectDBX Classes, 4095',
  'MATERIAL, AcDbMaterial, ObjectDBX Classes, 1153',
  'SCALE, AcDbScale, ObjectDBX Classes, 1153',
  'TABLESTYLE, AcDbTableStyle, ObjectDBX Classes, 4095',
  'MLEADERSTYLE, AcDbMLeaderStyle, ACDB_MLEADERSTYLE_CLASS, 4095',
  'DICTIONARYVAR, AcDbDictionaryVar, ObjectDBX Classes, 0',
  'CELLSTYLEMAP, AcDbCellStyleMap, ObjectDBX Classes, 1152',
  'MENTALRAYRENDERSETTINGS, AcDbMentalRayRenderSettings, SCENEOE, 1024',
  'ACDBDETAILVIEWSTYLE, AcDbDetailViewStyle, ObjectDBX Classes, 1025',
  'ACDBSECTIONVIEWSTYLE, AcDbSectionViewStyle, ObjectDBX Classes, 1025',
  'RASTERVARIABLES, AcDbRasterVariables, ISM, 0',
  'ACDBPLACEHOLDER, AcDbPlaceHolder, ObjectDBX Classes, 0',
  'LAYOUT, AcDbLayout, ObjectDBX Classes, 0',
];
const GEODATA_CLASS = 'GEODATA, AcDbGeoData, ObjectDBX Classes, 4095';
const COMMENT_BYTES = 250;

export function drawingHead(facts: DrawingFacts, totals: DrawingTotals): string {
  return (
    facts.comments.map(commentLines).join('') +
    header(facts, totals) +
    classes(facts.geodata === null ? CLASSES : [...CLASSES, GEODATA_CLASS]) +
    drawingTables(totals, facts) +
    blocks(totals.blocks)
  );
}

/** Splits a long comment into several, so that no reader's line buffer overflows. */
function commentLines(text: string): string {
  let lines = '';
  let line = '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a comment is one line
  for (const character of text.replace(/[\u0000-\u001f]/g, ' ')) {
    if (line.length >= COMMENT_BYTES / 4 && utf8Length(line + character) > COMMENT_BYTES) {
      lines += tagLine(999, line);
      line = '';
    }
    line += character;
  }
  return lines + tagLine(999, line);
}

function header({ unitCode, isMetric }: DrawingFacts, { handleSeed, extent }: DrawingTotals): string {
  const { min, max } = extentCorners(extent);
  return (
    tagLines('0 SECTION, 2 HEADER, 9 $ACADVER, 1 AC1032, 9 $DWGCODEPAGE, 3 ANSI_1252') +
    tagLine(9, '$INSBASE') +
    pointLines(10, 0, 0, 0) +
    tagLine(9, '$EXTMIN') +
    pointLines(10, ...min) +
    tagLine(9, '$EXTMAX') +
    pointLines(10, ...max) +
    tagLines(
      '9 $ORTHOMODE, 70 0, 9 $REGENMODE, 70 1, 9 $FILLMODE, 70 1, 9 $MIRRTEXT, 70 0, 9 $LTSCALE, 40 1.0',
    ) +
    tagLines('9 $TEXTSTYLE, 7 Standard, 9 $CLAYER, 8 0, 9 $CELTYPE, 6 ByLayer, 9 $CECOLOR, 62 256') +
    tagLines('9 $CELTSCALE, 40 1.0, 9 $DIMSTYLE, 2 Standard, 9 $LUNITS, 70 2, 9 $LUPREC, 70 4') +
    tagLines('9 $AUNITS, 70 0, 9 $AUPREC, 70 2, 9 $PDMODE, 70 0, 9 $PDSIZE, 40 0.0') +
    tagLine(9, '$HANDSEED') +
    tagLine(5, handleSeed.toString(16).toUpperCase()) +
    tagLines(`9 $TILEMODE, 70 1, 9 $MEASUREMENT, 70 ${isMetric ? 1 : 0}, 9 $CELWEIGHT, 370 -1`) +
    tagLines(`9 $LWDISPLAY, 290 0, 9 $INSUNITS, 70 ${unitCode}, 9 $CEPSNTYPE, 380 0`) +
    tagLines(
      `9 $PSTYLEMODE, 290 1, 9 $EXTNAMES, 290 1, 9 $CMATERIAL, 347 ${HANDLE.materialByLayer}, 0 ENDSEC`,
    )
  );
}

function classes(entries: readonly string[]): string {
  let text = tagLines('0 SECTION, 2 CLASSES');
  for (const entry of entries) {
    const [name, cppName, application, flags] = entry.split(', ');
    text += tagLines(`0 CLASS, 1 ${name}, 2 ${cppName}, 3 ${application}, 90 ${flags}, 91 0, 280 0, 281 0`);
  }
  return text + tagLines('0 ENDSEC');
}

function blocks(pointBlocks: KnownBlocks): string {
  return (
    tagLines('0 SECTION, 2 BLOCKS') +
    block('*Model_Space', HANDLE.modelSpace, HANDLE.modelBlock, HANDLE.modelBlockEnd) +
    block('*Paper_Space', HANDLE.paperSpace, HANDLE.paperBlock, HANDLE.paperBlockEnd) +
    blockDefinitions(pointBlocks) +
    tagLines('0 ENDSEC')
  );
}

/** The entities of both layouts are in the ENTITIES section, so their blocks are empty. */
function block(name: string, record: string, begin: string, end: string): string {
  return tagLines(
    `0 BLOCK, 5 ${begin}, 330 ${record}, 100 AcDbEntity, 8 0, 100 AcDbBlockBegin, 2 ${name}, 70 0, ` +
      `10 0.0, 20 0.0, 30 0.0, 3 ${name}, 1, ` +
      `0 ENDBLK, 5 ${end}, 330 ${record}, 100 AcDbEntity, 8 0, 100 AcDbBlockEnd`,
  );
}
