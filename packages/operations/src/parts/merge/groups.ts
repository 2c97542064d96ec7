/** Groups of rows that are merged to one feature. */

export interface Groups {
  readonly count: number;
  /** Group by row. Groups are numbered by their first row, which is the order of the result. */
  readonly groupOf: Uint32Array;
  /** Group g has the rows `rows[offsets[g] .. offsets[g + 1])`, ascending. */
  readonly offsets: Uint32Array;
  readonly rows: Uint32Array;
}

/** From a label per row, a whole number below their count; equal labels are one group. */
export function groupsFrom(rowCount: number, labelOf: (row: number) => number): Groups {
  const groupOf = new Uint32Array(rowCount);
  const numbers = new Int32Array(rowCount).fill(-1);
  let count = 0;
  for (let row = 0; row < rowCount; row++) {
    const label = labelOf(row);
    if (numbers[label] < 0) numbers[label] = count++;
    groupOf[row] = numbers[label];
  }
  const { offsets, items } = sortedByGroup(groupOf, count);
  return { count, groupOf, offsets, rows: items };
}

/** Indices by the group each has, kept in order within it: a counting sort. */
export function sortedByGroup(
  groupOf: ArrayLike<number>,
  count: number,
): { readonly offsets: Uint32Array; readonly items: Uint32Array } {
  const offsets = new Uint32Array(count + 1);
  for (let i = 0; i < groupOf.length; i++) offsets[groupOf[i] + 1]++;
  for (let group = 0; group < count; group++) offsets[group + 1] += offsets[group];
  const next = offsets.slice();
  const items = new Uint32Array(groupOf.length);
  for (let i = 0; i < groupOf.length; i++) items[next[groupOf[i]]++] = i;
  return { offsets, items };
}

/** The groups that are kept, in their order; `groupOf` of rows of the others has no meaning. */
export function keptGroups(groups: Groups, isKept: Uint8Array): Groups {
  const groupOf = groups.groupOf.slice();
  const offsets = [0];
  const rows: number[] = [];
  for (let group = 0; group < groups.count; group++) {
    if (isKept[group] === 0) continue;
    for (let i = groups.offsets[group]; i < groups.offsets[group + 1]; i++) {
      groupOf[groups.rows[i]] = offsets.length - 1;
      rows.push(groups.rows[i]);
    }
    offsets.push(rows.length);
  }
  return {
    count: offsets.length - 1,
    groupOf,
    offsets: Uint32Array.from(offsets),
    rows: Uint32Array.from(rows),
  };
}
