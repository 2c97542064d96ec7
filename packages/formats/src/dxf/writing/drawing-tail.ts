/**
 * Writes the part of a drawing after its entities: the OBJECTS section, whose first object is the dictionary that leads
 * to all others. It contains the styles and dictionaries that AutoCAD expects in every drawing, and the CRS.
 */
import type { DrawingFacts } from './drawing-tables.ts';
import { extentCorners } from './extent.ts';
import { HANDLE } from './handles.ts';
import { pointLines, realText, tagLine, tagLines } from './tag-text.ts';

export function drawingTail(extent: Float64Array, { geodata, unitCode }: DrawingFacts): string {
  return (
    tagLines('0 ENDSEC, 0 SECTION, 2 OBJECTS') +
    dictionaries() +
    plotStyles() +
    layout('Model', HANDLE.modelLayout, HANDLE.modelSpace, 0, extent) +
    layout('Layout1', HANDLE.paperLayout, HANDLE.paperSpace, 1, new Float64Array(0)) +
    material('ByBlock', HANDLE.materialByBlock) +
    material('ByLayer', HANDLE.materialByLayer) +
    material('Global', HANDLE.materialGlobal) +
    mlineStyle() +
    leaderStyle() +
    (geodata === null ? '' : geodataObject(geodata, unitCode, extent)) +
    tagLines('0 ENDSEC, 0 EOF')
  );
}

function dictionaries(): string {
  return (
    dictionary(HANDLE.rootDictionary, '0', [
      ['ACAD_COLOR', HANDLE.colors],
      ['ACAD_GROUP', HANDLE.groups],
      ['ACAD_LAYOUT', HANDLE.layouts],
      ['ACAD_MATERIAL', HANDLE.materials],
      ['ACAD_MLEADERSTYLE', HANDLE.leaderStyles],
      ['ACAD_MLINESTYLE', HANDLE.mlineStyles],
      ['ACAD_PLOTSETTINGS', HANDLE.plotSettings],
      ['ACAD_PLOTSTYLENAME', HANDLE.plotStyles],
      ['ACAD_SCALELIST', HANDLE.scales],
      ['ACAD_TABLESTYLE', HANDLE.tableStyles],
      ['ACAD_VISUALSTYLE', HANDLE.visualStyles],
    ]) +
    dictionary(HANDLE.colors, HANDLE.rootDictionary, []) +
    dictionary(HANDLE.groups, HANDLE.rootDictionary, []) +
    dictionary(HANDLE.layouts, HANDLE.rootDictionary, [
      ['Model', HANDLE.modelLayout],
      ['Layout1', HANDLE.paperLayout],
    ]) +
    dictionary(HANDLE.materials, HANDLE.rootDictionary, [
      ['ByBlock', HANDLE.materialByBlock],
      ['ByLayer', HANDLE.materialByLayer],
      ['Global', HANDLE.materialGlobal],
    ]) +
    dictionary(HANDLE.leaderStyles, HANDLE.rootDictionary, [['Standard', HANDLE.leaderStandard]]) +
    dictionary(HANDLE.mlineStyles, HANDLE.rootDictionary, [['Standard', HANDLE.mlineStandard]]) +
    dictionary(HANDLE.plotSettings, HANDLE.rootDictionary, []) +
    dictionary(HANDLE.scales, HANDLE.rootDictionary, []) +
    dictionary(HANDLE.tableStyles, HANDLE.rootDictionary, []) +
    dictionary(HANDLE.visualStyles, HANDLE.rootDictionary, [])
  );
}

function dictionary(handle: string, owner: string, entries: readonly (readonly [string, string])[]): string {
  let text = tagLines(`0 DICTIONARY, 5 ${handle}, 330 ${owner}, 100 AcDbDictionary, 281 1`);
  for (const [name, object] of entries) text += tagLine(3, name) + tagLine(350, object);
  return text;
}

/** Layers point to the placeholder as their plot style. */
function plotStyles(): string {
  const { plotStyles: dictionaryHandle, plotStyleNormal, rootDictionary } = HANDLE;
  return tagLines(
    `0 ACDBDICTIONARYWDFLT, 5 ${dictionaryHandle}, 330 ${rootDictionary}, 100 AcDbDictionary, 281 1, ` +
      `3 Normal, 350 ${plotStyleNormal}, 100 AcDbDictionaryWithDefault, 340 ${plotStyleNormal}, ` +
      `0 ACDBPLACEHOLDER, 5 ${plotStyleNormal}, 330 ${dictionaryHandle}`,
  );
}

/** A sheet of A3 in millimetres. `tab` 0 is model space. */
function layout(name: string, handle: string, record: string, tab: number, extent: Float64Array): string {
  const { min, max } = extentCorners(extent);
  return (
    tagLines(
      `0 LAYOUT, 5 ${handle}, 330 ${HANDLE.layouts}, 100 AcDbPlotSettings, 1, 2 none_device, 4 A3, 6`,
    ) +
    tagLines(
      '40 7.5, 41 20.0, 42 7.5, 43 20.0, 44 420.0, 45 297.0, 46 0.0, 47 0.0, 48 0.0, 49 0.0, 140 0.0',
    ) +
    tagLines(
      `141 0.0, 142 1.0, 143 1.0, 70 ${tab === 0 ? 1024 : 0}, 72 1, 73 1, 74 5, 7, 75 16, 76 0, 77 2`,
    ) +
    tagLines('78 300, 147 1.0, 148 0.0, 149 0.0, 100 AcDbLayout') +
    tagLines(`1 ${name}, 70 1, 71 ${tab}, 10 0.0, 20 0.0, 11 420.0, 21 297.0, 12 0.0, 22 0.0, 32 0.0`) +
    pointLines(14, ...min) +
    pointLines(15, ...max) +
    tagLines('146 0.0, 13 0.0, 23 0.0, 33 0.0, 16 1.0, 26 0.0, 36 0.0, 17 0.0, 27 1.0, 37 0.0, 76 1') +
    tagLine(330, record)
  );
}

function material(name: string, handle: string): string {
  const owner = HANDLE.materials;
  return (
    tagLines(`0 MATERIAL, 5 ${handle}, 102 {ACAD_REACTORS, 330 ${owner}, 102 }, 330 ${owner}`) +
    tagLines(`100 AcDbMaterial, 1 ${name}, 2, 70 0, 40 1.0, 71 1, 41 1.0, 91 -1023410177, 42 1.0, 72 1, 3`) +
    tagLines('73 1, 74 1, 75 1, 44 0.5, 73 0, 45 1.0, 46 1.0, 77 1, 4, 78 1, 79 1, 170 1, 48 1.0, 171 1, 6') +
    tagLines(
      '172 1, 173 1, 174 1, 140 1.0, 141 1.0, 175 1, 7, 176 1, 177 1, 178 1, 143 1.0, 179 1, 8, 270 1',
    ) +
    tagLines('271 1, 272 1, 145 1.0, 146 1.0, 273 1, 9, 274 1, 275 1, 276 1, 42 1.0, 72 1, 3, 73 1, 74 1') +
    tagLines('75 1, 94 63')
  );
}

function mlineStyle(): string {
  const owner = HANDLE.mlineStyles;
  return tagLines(
    `0 MLINESTYLE, 5 ${HANDLE.mlineStandard}, 102 {ACAD_REACTORS, 330 ${owner}, 102 }, 330 ${owner}, ` +
      '100 AcDbMlineStyle, 2 Standard, 70 0, 3, 62 256, 51 90.0, 52 90.0, 71 2, ' +
      '49 0.5, 62 256, 6 BYLAYER, 49 -0.5, 62 256, 6 BYLAYER',
  );
}

function leaderStyle(): string {
  const owner = HANDLE.leaderStyles;
  return (
    tagLines(
      `0 MLEADERSTYLE, 5 ${HANDLE.leaderStandard}, 102 {ACAD_REACTORS, 330 ${owner}, 102 }, 330 ${owner}`,
    ) +
    tagLines(
      '100 AcDbMLeaderStyle, 179 2, 170 2, 171 1, 172 0, 90 2, 40 0.0, 41 0.0, 173 1, 91 -1056964608',
    ) +
    tagLines('92 -2, 290 1, 42 2.0, 291 1, 43 8.0, 3 Standard, 44 4.0, 300') +
    tagLines(
      `342 ${HANDLE.styleStandard}, 174 1, 175 1, 176 0, 178 1, 93 -1056964608, 45 4.0, 292 0, 297 0`,
    ) +
    tagLines(
      '46 4.0, 94 -1056964608, 47 1.0, 49 1.0, 140 1.0, 294 1, 141 0.0, 177 0, 142 1.0, 295 0, 296 0',
    ) +
    tagLines('143 3.75, 271 0, 272 9, 273 9')
  );
}

/** Texts have at most 255 bytes. */
const PART_CHARACTERS = 200;

/**
 * The location of the drawing, in the extension dictionary of model space: design coordinates are those of the CRS, so
 * design point and reference point are the same.
 */
function geodataObject(
  { epsg, name, metresPerUnit }: NonNullable<DrawingFacts['geodata']>,
  unitCode: number,
  extent: Float64Array,
): string {
  const { min, max } = extentCorners(extent);
  const [x, y] = [(min[0] + max[0]) / 2, (min[1] + max[1]) / 2];
  const scale = realText(metresPerUnit);
  return (
    dictionary(HANDLE.modelDictionary, HANDLE.modelSpace, [['ACAD_GEOGRAPHICDATA', HANDLE.geodata]]) +
    tagLines(`0 GEODATA, 5 ${HANDLE.geodata}, 102 {ACAD_REACTORS, 330 ${HANDLE.modelDictionary}, 102 }`) +
    tagLines(`330 ${HANDLE.modelDictionary}, 100 AcDbGeoData, 90 2, 330 ${HANDLE.modelSpace}, 70 2`) +
    pointLines(10, x, y, 0) +
    pointLines(11, x, y, 0) +
    tagLines(`40 ${scale}, 91 ${unitCode}, 41 ${scale}, 92 ${unitCode}, 210 0.0, 220 0.0, 230 1.0`) +
    tagLines('12 0.0, 22 1.0, 95 1, 141 1.0, 294 0, 142 0.0, 143 0.0') +
    definitionTags(coordinateSystem(epsg, name)) +
    tagLines('302, 305, 306, 307, 93 0, 96 0')
  );
}

/** Code 303 for each part, 301 for the last. */
function definitionTags(text: string): string {
  let tags = '';
  for (let at = 0; at < text.length; at += PART_CHARACTERS)
    tags += tagLine(at + PART_CHARACTERS < text.length ? 303 : 301, text.slice(at, at + PART_CHARACTERS));
  return tags;
}

/** In the XML of MapGuide: the code is the alias of the system. */
function coordinateSystem(epsg: string, name: string): string {
  const id = `EPSG:${epsg}`;
  const plain = name.replace(/[^\x20-\x7e]|[&<>"^\\]/g, '_');
  const axis = (order: number, axisName: string, direction: string): string =>
    `<CoordinateSystemAxis><AxisOrder>${order}</AxisOrder><AxisName>${axisName}</AxisName>` +
    `<AxisAbbreviation>${axisName[0]}</AxisAbbreviation><AxisDirection>${direction}</AxisDirection></CoordinateSystemAxis>`;
  return (
    '<?xml version="1.0" encoding="UTF-16" standalone="no" ?>' +
    '<Dictionary version="1.0" xmlns="http://www.osgeo.org/mapguide/coordinatesystem">' +
    `<ProjectedCoordinateSystem id="${id}"><Name>${plain}</Name>` +
    `<Axis>${axis(1, 'Easting', 'East')}${axis(2, 'Northing', 'North')}</Axis></ProjectedCoordinateSystem>` +
    `<Alias id="${epsg}" type="CoordinateSystem"><ObjectId>${id}</ObjectId><Namespace>EPSG Code</Namespace></Alias></Dictionary>`
  );
}
