/** Drawings as DWG, which the parser of DWG writes, too. */
import {
  ACadVersion,
  CadDictionary,
  CadDocument,
  Color,
  DesignCoordinatesType,
  DwgWriter,
  DxfReader,
  type Entity,
  GeoData,
  Viewport,
} from '@node-projects/acad-ts';

/** From 2007 on, texts of a DXF are UTF-8, whatever it states; the parser believes what it states. */
const FIRST_UTF8_VERSION = 1021;

/** `version`: such as AC1032. `crs`: where the drawing is on the Earth. Default: it does not say. */
export function drawingAsDwg(dxf: Uint8Array, version: string, crs: string | null = null): Uint8Array {
  const document = DxfReader.readFromStream(asStated(dxf));
  const { header } = document;
  if (header === null) throw new Error('the drawing has no header');
  header.version = ACadVersion[version as keyof typeof ACadVersion];
  // What the parser needs to write the drawing, although it reads it without.
  header.currentDimensionStyleName = 'Standard';
  for (const block of document.blockRecords ?? [])
    for (const entity of block.entities)
      if (entity instanceof Viewport) entity.ambientLightColor ??= new Color(250);
  if (crs !== null) locate(document, crs);
  return DwgWriter.writeToBuffer(document);
}

function asStated(dxf: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(dxf).toString('latin1');
  const version = Number(/\$ACADVER\s+1\s+AC(\d{4})/.exec(text)?.[1] ?? 0);
  const stated = version < FIRST_UTF8_VERSION ? text : text.replace(/ANSI_\d+/, 'UTF8');
  return new Uint8Array(Buffer.from(stated, 'latin1'));
}

function locate({ modelSpace }: CadDocument, crs: string): void {
  const location = new GeoData();
  location.name = 'ACAD_GEOGRAPHICDATA';
  location.coordinatesType = DesignCoordinatesType.LocalGrid;
  location.coordinateSystemDefinition = crs;
  location.hostBlock = modelSpace;
  if (modelSpace === null) throw new Error('the drawing has no model space');
  modelSpace.xDictionary ??= new CadDictionary();
  modelSpace.xDictionary.add(location);
}

/** A drawing of these entities in model space. `version`: as above. */
export function dwgOf(entities: Iterable<Entity>, version = 'AC1032', codePage = 'ANSI_1252'): Uint8Array {
  const document = new CadDocument(ACadVersion[version as keyof typeof ACadVersion]);
  if (document.header !== null) document.header.codePage = codePage;
  for (const entity of entities) document.modelSpace?.entities.add(entity);
  return DwgWriter.writeToBuffer(document);
}
