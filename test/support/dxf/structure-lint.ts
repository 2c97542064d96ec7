/** Checks header, tables, blocks and objects: the structure that AutoCAD requires (DXF reference, AC1032). */
import { type Complain, type Drawing, handleKey, handleOf, type SymbolTable, where } from './drawing.ts';
import { first, type Section, type Structure, subclass, type Tag } from './tags.ts';

export const SECTION_ORDER = ['HEADER', 'CLASSES', 'TABLES', 'BLOCKS', 'ENTITIES', 'OBJECTS'];
const TABLES = ['VPORT', 'LTYPE', 'LAYER', 'STYLE', 'VIEW', 'UCS', 'APPID', 'DIMSTYLE', 'BLOCK_RECORD'];
const REQUIRED_RECORDS: Readonly<Record<string, readonly string[]>> = {
  LTYPE: ['ByBlock', 'ByLayer', 'Continuous'],
  LAYER: ['0'],
  STYLE: ['Standard'],
  APPID: ['ACAD'],
  DIMSTYLE: ['Standard'],
  BLOCK_RECORD: ['*Model_Space', '*Paper_Space'],
};
const RECORD_CLASS: Readonly<Record<string, string>> = {
  VPORT: 'AcDbViewportTableRecord',
  LTYPE: 'AcDbLinetypeTableRecord',
  LAYER: 'AcDbLayerTableRecord',
  STYLE: 'AcDbTextStyleTableRecord',
  VIEW: 'AcDbViewTableRecord',
  UCS: 'AcDbUCSTableRecord',
  APPID: 'AcDbRegAppTableRecord',
  DIMSTYLE: 'AcDbDimStyleTableRecord',
  BLOCK_RECORD: 'AcDbBlockTableRecord',
};
const FORBIDDEN_IN_NAMES = /[<>/\\":;?*|=`,]/;

export function lintHeader(
  { tags }: Section,
  version: string,
  complain: Complain,
): Map<string, readonly Tag[]> {
  const variables = new Map<string, readonly Tag[]>();
  const starts = tags.flatMap(({ code }, i) => (code === 9 ? [i] : []));
  if (tags.length > 0 && starts[0] !== 0) complain('the header does not begin with a variable');
  starts.forEach((start, i) => {
    if (variables.has(tags[start].value)) complain(`${tags[start].value} is there twice`);
    variables.set(tags[start].value, tags.slice(start + 1, starts[i + 1] ?? tags.length));
  });
  const found = variables.get('$ACADVER')?.[0]?.value;
  if (found !== version) complain(`$ACADVER is ${found}, not ${version}`);
  if (tags[0]?.value !== '$ACADVER') complain('$ACADVER is not the first variable');
  const [low, high] = ['$EXTMIN', '$EXTMAX'].map((name) =>
    (variables.get(name) ?? []).map(({ value }) => Number(value)),
  );
  if (low.length !== high.length) complain('$EXTMIN and $EXTMAX differ in dimensions');
  // The extent of an empty drawing is 1e20 and -1e20.
  if (low.some((value, i) => value > high[i] && Math.abs(value) < 1e20)) complain('$EXTMIN is above $EXTMAX');
  return variables;
}

export function readTables(structures: readonly Structure[], complain: Complain): Map<string, SymbolTable> {
  const tables = new Map<string, SymbolTable>();
  let open: { name: string; head: Structure; records: Structure[]; names: Map<string, Structure> } | null =
    null;
  for (const structure of structures) {
    if (structure.type === 'TABLE') {
      if (open !== null) complain(`the table ${open.name} has no end`);
      open = { name: first(structure, 2) ?? '', head: structure, records: [], names: new Map() };
    } else if (structure.type === 'ENDTAB') {
      if (open === null) complain('ENDTAB without a table');
      else if (tables.has(open.name)) complain(`the table ${open.name} is there twice`);
      else tables.set(open.name, open);
      open = null;
    } else if (open === null) complain(`${where(structure)} stands in no table`);
    else {
      const name = (first(structure, 2) ?? '').toLowerCase();
      // Several VPORT records of one name are the tiles of one configuration.
      if (open.names.has(name) && open.name !== 'VPORT') complain(`${open.name} '${name}' is there twice`);
      open.records.push(structure);
      open.names.set(name, structure);
    }
  }
  return tables;
}

export function lintTables(drawing: Drawing, complain: Complain): void {
  for (const name of TABLES) {
    const table = drawing.tables.get(name);
    if (table === undefined) {
      complain(`there is no table ${name}`);
      continue;
    }
    const stated = Number(first(table.head, 70));
    if (stated !== table.records.length)
      complain(`table ${name} says ${stated} records and has ${table.records.length}`);
    if (subclass(table.head, 'AcDbSymbolTable') === null) complain(`table ${name} has no AcDbSymbolTable`);
    if (first(table.head, 330) !== '0') complain(`the owner of table ${name} is ${first(table.head, 330)}`);
    if (name === 'DIMSTYLE' && subclass(table.head, 'AcDbDimStyleTable') === null)
      complain('table DIMSTYLE has no AcDbDimStyleTable');
    for (const required of REQUIRED_RECORDS[name] ?? [])
      if (!table.names.has(required.toLowerCase())) complain(`${name} '${required}' is missing`);
    for (const record of table.records) lintRecord(record, name, table, complain);
  }
  for (const name of drawing.tables.keys()) if (!TABLES.includes(name)) complain(`there is a table ${name}`);
  for (const layer of drawing.tables.get('LAYER')?.records ?? []) lintLayer(layer, drawing, complain);
}

function lintRecord(record: Structure, tableName: string, table: SymbolTable, complain: Complain): void {
  const at = where(record);
  if (record.type !== tableName) complain(`${at} stands in the table ${tableName}`);
  if (handleKey(first(record, 330) ?? '') !== handleOf(table.head))
    complain(`the owner of ${at} is not its table`);
  if (subclass(record, 'AcDbSymbolTableRecord') === null) complain(`${at} has no AcDbSymbolTableRecord`);
  const own = subclass(record, RECORD_CLASS[tableName]);
  if (own === null) complain(`${at} has no ${RECORD_CLASS[tableName]}`);
  const name = first(record, 2);
  if (name === undefined || (name === '' && tableName !== 'STYLE')) complain(`${at} has no name`);
  // Names of anonymous blocks, of the layouts' blocks and of the active viewport begin with an asterisk.
  else if (FORBIDDEN_IN_NAMES.test(name.replace(/^\*/, ''))) complain(`${at} is called '${name}'`);
}

function lintLayer(layer: Structure, drawing: Drawing, complain: Complain): void {
  const linetype = first(layer, 6) ?? '';
  if (!drawing.tables.get('LTYPE')?.names.has(linetype.toLowerCase()))
    complain(`${where(layer)} has the undefined linetype '${linetype}'`);
  if (first(layer, 390) === undefined)
    complain(`${where(layer)} has no plot style (390), which AutoCAD requires`);
}

/**
 * Checks that every BLOCK has a record and every record a BLOCK; returns the entities of blocks with their record's
 * handle.
 */
export function lintBlocks(
  structures: readonly Structure[],
  drawing: Drawing,
  complain: Complain,
): { readonly entity: Structure; readonly owner: string }[] {
  const contents: { entity: Structure; owner: string }[] = [];
  const seen = new Set<string>();
  const records = drawing.tables.get('BLOCK_RECORD')?.names ?? new Map<string, Structure>();
  let owner: string | null = null;
  for (const structure of structures) {
    if (structure.type === 'BLOCK') {
      if (owner !== null) complain(`${where(structure)} stands in a block`);
      const name = (first(structure, 2) ?? '').toLowerCase();
      if (seen.has(name)) complain(`block '${name}' is there twice`);
      seen.add(name);
      const record = records.get(name);
      owner = (record && handleOf(record)) ?? '';
      if (record === undefined) complain(`block '${name}' has no BLOCK_RECORD`);
      lintBlockEnd(structure, owner, 'AcDbBlockBegin', complain);
    } else if (structure.type === 'ENDBLK') {
      if (owner === null) complain(`${where(structure)} without a block`);
      else lintBlockEnd(structure, owner, 'AcDbBlockEnd', complain);
      owner = null;
    } else if (owner === null) complain(`${where(structure)} stands in no block`);
    else contents.push({ entity: structure, owner });
  }
  if (owner !== null) complain('the last block has no ENDBLK');
  for (const name of records.keys()) if (!seen.has(name)) complain(`BLOCK_RECORD '${name}' has no BLOCK`);
  return contents;
}

function lintBlockEnd(structure: Structure, owner: string, marker: string, complain: Complain): void {
  if (handleKey(first(structure, 330) ?? '') !== owner)
    complain(`the owner of ${where(structure)} is not its record`);
  for (const name of ['AcDbEntity', marker])
    if (subclass(structure, name) === null) complain(`${where(structure)} has no ${name}`);
}

export function lintObjects(structures: readonly Structure[], drawing: Drawing, complain: Complain): void {
  const root = structures[0];
  if (root?.type !== 'DICTIONARY' || first(root, 330) !== '0') {
    complain('OBJECTS does not begin with the root dictionary');
    return;
  }
  for (const object of structures.slice(1)) {
    const owner = drawing.handles.get(handleKey(first(object, 330) ?? '0'));
    if (owner === undefined) complain(`${where(object)} has no owner`);
    else if (owner.type.includes('DICT') && !entriesOf(owner).has(handleOf(object) ?? ''))
      complain(`the dictionary that owns ${where(object)} does not hold it`);
  }
  const entries = new Map([...entriesOf(root)].map(([handle, name]) => [name, handle]));
  for (const name of ['ACAD_GROUP', 'ACAD_LAYOUT', 'ACAD_PLOTSTYLENAME'])
    if (!entries.has(name)) complain(`the root dictionary has no ${name}`);
  const layouts = drawing.handles.get(entries.get('ACAD_LAYOUT') ?? '');
  if (layouts !== undefined) lintLayouts(structures, layouts, drawing, complain);
}

/** Entries of a dictionary: names by the object's handle. */
function entriesOf({ tags }: Structure): Map<string, string> {
  const entries = new Map<string, string>();
  for (let i = 0; i + 1 < tags.length; i++)
    if (tags[i].code === 3 && (tags[i + 1].code === 350 || tags[i + 1].code === 360))
      entries.set(handleKey(tags[i + 1].value), tags[i].value);
  return entries;
}

function lintLayouts(
  structures: readonly Structure[],
  dictionary: Structure,
  drawing: Drawing,
  complain: Complain,
): void {
  const entries = entriesOf(dictionary);
  const blocks = new Set<string>();
  for (const layout of structures.filter(({ type }) => type === 'LAYOUT')) {
    const at = where(layout);
    const facts = subclass(layout, 'AcDbLayout');
    if (facts === null || subclass(layout, 'AcDbPlotSettings') === null) {
      complain(`${at} lacks AcDbLayout or AcDbPlotSettings`);
      continue;
    }
    const name = facts.find(({ code }) => code === 1)?.value;
    if (entries.get(handleOf(layout) ?? '') !== name) complain(`${at} is not '${name}' of ACAD_LAYOUT`);
    const block = handleKey(facts.find(({ code }) => code === 330)?.value ?? '0');
    blocks.add(block);
    const record = drawing.handles.get(block);
    if (record?.type !== 'BLOCK_RECORD') complain(`${at} has no BLOCK_RECORD`);
    else if (handleKey(first(record, 340) ?? '0') !== handleOf(layout))
      complain(`${where(record)} is not linked to ${at}`);
  }
  for (const record of drawing.tables.get('BLOCK_RECORD')?.records ?? []) {
    const isLayout = /^\*(model|paper)_space\d*$/i.test(first(record, 2) ?? '');
    if (isLayout !== blocks.has(handleOf(record) ?? ''))
      complain(`${where(record)} ${isLayout ? 'has no' : 'has a'} layout`);
  }
}
