/** Errors and findings of DXF and DWG. */
import {
  changed,
  dropped,
  errorTable,
  findingTable,
  info,
  lost,
  user,
} from '@geomill/core/messages/catalogue-entries.ts';

export const dxfErrors = errorTable({
  DXF_TOO_LARGE: user(400, 'a DXF drawing has at most {entities} entities; split the data'),
  DXF_TOO_MANY_LAYERS: user(
    400,
    "the values of field '{field}' would make more than {limit} DXF layers, the most that a drawing can have; choose another field with '{field:output.layer_field}'",
  ),
  DXF_SYNTAX: user(400, 'DXF line {line}: {reason}'),
  DXF_BINARY: user(400, 'binary DXF byte {offset}: {reason}'),
  DXF_TRUNCATED: user(
    400,
    '{source} ends at line {line}, inside section {section}: the file is incomplete; send the whole file',
  ),
  DXF_NO_ENTITIES: user(
    400,
    '{source} is a DXF without an ENTITIES section; it contains {found}. Is the file complete?',
  ),
});

export const dxfFindings = findingTable({
  VALUES_TOO_LONG: lost(
    "values of field '{field}' were dropped: the attributes of one feature have at most {bytes} bytes in {format}",
    'value',
  ),
  ATTRIBUTE_TOO_LONG: lost(
    "values of field '{field}' have more than {bytes} bytes, the most that an attribute of a block can have; these attributes are empty",
    'value',
  ),
  LAYER_STYLE_UNUSED: info("the drawing has no layer '{layer}', to which '{field:option}' gives a style"),
  COLOR_NOT_DRAWN: info(
    "features whose field '{field}' has no DXF colour (#rrggbb, or an index from 0 to 256) are drawn in the colour of their layer; the values are kept",
    'feature',
  ),
  DRAWING_IN_DEGREES: info(
    'the drawing is in degrees ({crs}), which CAD programs show as tiny plane coordinates; for metres or feet, {set:output.epsg} with a projected CRS',
  ),
  ENTITY_SKIPPED: dropped('{type} entities were skipped: {reason}'),
  PAPER_SPACE_LEFT_OUT: lost(
    'entities in paper space were skipped; to read them too, {set:input.layouts=all}',
    'entity',
  ),
  BLOCK_MISSING: dropped("INSERTs of block '{block}', which the drawing does not contain, were skipped"),
  BLOCK_CIRCULAR: dropped("INSERTs of block '{block}' within itself were skipped"),
  BLOCK_TOO_DEEP: dropped('INSERTs nested in more than {depth} levels of blocks were skipped'),
  CLIP_IGNORED: changed('INSERTs that CAD shows only in part (XCLIP) were read as a whole'),
  PICTURE_MISSING: changed(
    '{type} entities without their block were read as the line that they measure, or as their position',
  ),
  EXTERNAL_REFERENCE: dropped(
    "block '{block}' is an external reference to '{path}', whose content the drawing does not contain; bind it in CAD",
  ),
  ATTRIBUTE_RENAMED: changed("attribute '{from}' has the name of a standard field and was read as '{to}'"),
  XDATA_DROPPED: lost('XDATA of other applications was not read', 'entity'),
  XDATA_DAMAGED: lost('unreadable attributes in the XDATA of GEOMILL were dropped', 'entity'),
  TEXT_BY_CODE_PAGE: info(
    'texts that are not valid {encoding} were read as {fallback}; if that is wrong, {set:input.encoding}',
    'value',
  ),
  TEXT_IN_UTF8: info(
    'the drawing states the encoding {encoding}, but texts that are valid UTF-8 were read as UTF-8; if that is wrong, {set:input.encoding}',
    'value',
  ),
  TEXT_BYTES_REPLACED: lost(
    'bytes of texts that are not valid {encoding} were replaced; {set:input.encoding}',
    'value',
  ),
  EOF_MISSING: info('{file} does not end with EOF; all its sections are complete'),
  HEAD_ENTRY_SKIPPED: info('unreadable entries in the head of {file} were ignored: {reason}'),
});

export const dwgErrors = errorTable({
  DWG_VERSION: user(
    400,
    '{source} is a drawing of {version}; DWG is read from R14 to AutoCAD 2018 (AC1014 to AC1032). Save it as DXF, or as a DWG of AutoCAD 2018 or 2013',
  ),
  DWG_TOO_LARGE: user(
    400,
    '{source} has {actual} {what}; a DWG is read into memory, and may have {limit} at most. Save it as DXF, which is read in parts at any size, or split the drawing',
  ),
  DWG_TRUNCATED: user(
    400,
    '{source} has {actual} bytes, but {part} ends at byte {end}: the file is incomplete; send the whole file',
  ),
  DWG_DAMAGED: user(
    400,
    '{source} cannot be read as a drawing of {version}: {part} is damaged ({reason}). Open it in a CAD program, use RECOVER or AUDIT, and save it again',
  ),
});

export const dwgFindings = findingTable({
  DWG_OBJECTS_UNREAD: lost(
    '{type} objects are in the drawing, but could not be read: they are damaged or of an unknown form, and are missing in the output',
    'object',
  ),
});
