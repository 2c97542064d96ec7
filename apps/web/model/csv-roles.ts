/** Which columns of a CSV the position is read from, as roles of columns and as read options. All functions are pure. */
import type { Options } from './document.ts';

export type Role = 'none' | 'x' | 'y' | 'z' | 'geometry' | 'lat_lon' | 'lon_lat';

export const ROLES: readonly (readonly [role: Role, text: string])[] = [
  ['none', 'field'],
  ['x', 'x, longitude'],
  ['y', 'y, latitude'],
  ['z', 'z, height'],
  ['geometry', 'geometry (WKT …)'],
  ['lat_lon', 'lat and lon'],
  ['lon_lat', 'lon and lat'],
];

const AXES = ['x', 'y', 'z'] as const;

/** The role of each column by options, which name columns by name or by number from 1. */
export function rolesOf(options: Options, columns: readonly string[]): Role[] {
  const roles = columns.map((): Role => 'none');
  const give = (column: unknown, role: Role) => {
    const index = indexOf(column, columns);
    if (index >= 0) roles[index] = role;
  };
  for (const axis of AXES) give(options[`${axis}_column`], axis);
  give(options.geometry_column, 'geometry');
  give(options.point_column, options.point_order === 'lon_lat' ? 'lon_lat' : 'lat_lon');
  return roles;
}

/** Whether options say anything about columns. */
export function namesColumns(options: Options): boolean {
  return Object.keys(options).some((name) => name.endsWith('_column'));
}

/** The roles after one was given: each is there once, and coordinates, a geometry and a column with both exclude each other. */
export function withRole(roles: readonly Role[], column: number, role: Role): Role[] {
  const isAxis = (one: Role) => (AXES as readonly Role[]).includes(one);
  return roles.map((one, i) => {
    if (i === column) return role;
    if (one === 'none' || role === 'none') return one;
    return one === role || !isAxis(one) || !isAxis(role) ? 'none' : one;
  });
}

/** What the roles lack; null: they are complete. */
export function missingRole(roles: readonly Role[]): string | null {
  const has = (role: Role) => roles.includes(role);
  if (has('x') && !has('y')) return 'Choose the column of y as well.';
  if (!has('x') && (has('y') || has('z'))) return 'Choose the column of x as well.';
  return null;
}

/** The options with these roles, which are complete, in place of what they said about columns. */
export function optionsWith(options: Options, columns: readonly string[], roles: readonly Role[]): Options {
  const kept = Object.entries(options).filter(([name]) => !/_column$|^point_order$/.test(name));
  const named = roles.flatMap((role, i): [string, unknown][] => {
    const column = columnName(i, columns);
    if (role === 'none') return [];
    if (role === 'lat_lon' || role === 'lon_lat')
      return [
        ['point_column', column],
        ['point_order', role],
      ];
    return [[`${role}_column`, column]];
  });
  return Object.fromEntries([...kept, ...named]);
}

function indexOf(column: unknown, columns: readonly string[]): number {
  const byName = columns.indexOf(String(column));
  return byName >= 0 || column === undefined ? byName : Number(column) - 1;
}

/** Its number, if the name is empty, that of an earlier column, or could be taken for a number. */
function columnName(index: number, columns: readonly string[]): string | number {
  const name = columns[index];
  return name === '' || name.endsWith('…') || columns.indexOf(name) !== index ? index + 1 : name;
}
