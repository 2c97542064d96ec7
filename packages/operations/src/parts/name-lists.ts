/** Bounds of what a request may list, stated in the schemas of the parameters so that they are documented. */

/** Names in one list: more than any table has columns. */
const MAX_NAMES = 10_000;
/** Characters of a name or a definition: files with longer field names are rejected. */
export const MAX_NAME_LENGTH = 65_536;
/** Characters of an EPSG code, blanks around it included. */
export const MAX_EPSG_LENGTH = 60;

export const fieldName = { type: 'string', minLength: 1, maxLength: MAX_NAME_LENGTH } as const;
export const fieldNames = {
  type: 'array',
  items: { type: 'string', maxLength: MAX_NAME_LENGTH },
  maxItems: MAX_NAMES,
  uniqueItems: true,
} as const;
/** For an object whose members are named after fields. */
export const byFieldName = {
  type: 'object',
  maxProperties: MAX_NAMES,
  propertyNames: { maxLength: MAX_NAME_LENGTH },
} as const;
