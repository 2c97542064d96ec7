import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

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
