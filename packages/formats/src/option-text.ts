/** Values of options that were given as texts. */

/** The value that a text means for an option with this schema; null: it means none. */
export function optionOfText(text: string, schema: object): string | number | boolean | null {
  const types = typesOf(schema);
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  const isNumeric = types.includes('integer') || types.includes('number');
  if (isNumeric && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  return types.includes('string') || types.length === 0 ? text : null;
}

/** Empty: any. */
export function typesOf(schema: object): readonly unknown[] {
  const type = 'type' in schema ? schema.type : undefined;
  return type === undefined ? [] : [type].flat();
}
