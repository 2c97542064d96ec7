/**
 * Handles of the fixed objects of every drawing, in hexadecimal as in the file. Tables have 1 to 9, the objects after
 * them up to FF, layers by field from LAYER_HANDLES_START, entities from FIRST_ENTITY_HANDLE on.
 */
export const HANDLE = {
  layerTable: '1',
  linetypeTable: '2',
  appidTable: '3',
  dimstyleTable: '4',
  styleTable: '5',
  ucsTable: '6',
  viewTable: '7',
  viewportTable: '8',
  blockRecordTable: '9',
  rootDictionary: 'A',
  colors: 'B',
  groups: 'C',
  layouts: 'D',
  materials: 'E',
  leaderStyles: 'F',
  mlineStyles: '10',
  plotSettings: '11',
  plotStyles: '12',
  plotStyleNormal: '13',
  scales: '14',
  tableStyles: '15',
  visualStyles: '16',
  modelSpace: '17',
  modelBlock: '18',
  modelBlockEnd: '19',
  modelLayout: '1A',
  paperSpace: '1B',
  paperBlock: '1C',
  paperBlockEnd: '1D',
  paperLayout: '1E',
  materialByBlock: '1F',
  materialByLayer: '20',
  materialGlobal: '21',
  mlineStandard: '22',
  activeViewport: '23',
  linetypeByBlock: '24',
  linetypeByLayer: '25',
  linetypeContinuous: '26',
  layerZero: '27',
  styleStandard: '29',
  appidAcad: '2A',
  dimstyleStandard: '2B',
  leaderStandard: '2C',
  appidGeomill: '2D',
  modelDictionary: '2E',
  geodata: '2F',
} as const;

/** The linetypes of layer styles; fewer than the handles up to FF. */
export const FIRST_LINETYPE_HANDLE = 0x30;
/** After those of layers. */
export const FIRST_BLOCK_HANDLE = 0x1_0000;

/** First handle for layers other than "0"; there are more handles than a drawing can have layers. */
export const LAYER_HANDLES_START = 0x100;

/** From here on, handles have eight digits: their length in the text of an entity is known before their value. */
export const FIRST_ENTITY_HANDLE = 0x1000_0000;
export const HANDLE_DIGITS = 8;
/** The last handle of eight digits. */
export const LAST_ENTITY_HANDLE = 0xffff_ffff;
