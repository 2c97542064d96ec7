#include "rows.h"

/* ---- Leaf pages (leaf-cells.ts) ---- */

enum { LEAF = 13, PAGE_HEADER_BYTES = 8, LEAST_CELL_BYTES = 4, MOST_PAYLOAD_BYTES = 1 << 29 };
/* Flags in the result of read_leaf. */
enum { DENSE = 1 << 20, OVERFLOWING = 1 << 21 };

/* Payload bytes in the cell itself. */
INLINE u32 local_bytes(u32 payload, u32 page_bytes) {
  u32 most = page_bytes - 35;
  if (payload <= most) return payload;
  u32 least = (page_bytes - 12) * 32 / 255 - 23;
  u32 local = least + (payload - least) % (page_bytes - 4);
  return local <= most ? local : least;
}

/*
 * Appends the rows of a page as number `row` and on: where their payloads begin, from `bytes` on, their lengths and keys. Returns the number of rows; -1:
 * the page is not sound, keys do not ascend, or there is no room. DENSE: the cells are one after another up to the end of the page, so that nothing
 * else is in it; otherwise the caller compares `cell_starts` and `cell_ends`. 16 bytes after the page can be read.
 */
i32 EXPORT(read_leaf)(const u8 *bytes, const u8 *page, u32 page_bytes, u32 row, u32 room, u32 *starts, u32 *lengths, i64 *keys,
                      u32 *cell_starts, u32 *cell_ends) {
  u32 count = big16(page + 3), content = big16(page + 5);
  if (content == 0) content = 65536;
  if (page[0] != LEAF || content > page_bytes || PAGE_HEADER_BYTES + 2 * count > content) return -1;
  if (count > room - row) return -1;
  u32 flags = big16(page + 1) == 0 && page[7] == 0 ? DENSE : 0;
  u32 dense_end = page_bytes;
  for (u32 cell = 0; cell < count; cell++, row++) {
    u32 start = big16(page + PAGE_HEADER_BYTES + 2 * cell);
    if (start < content || start + LEAST_CELL_BYTES > page_bytes) return -1;
    const u8 *at = page + start;
    u32 byte = *at++, payload = byte & 0x7f;
    while (byte >= 0x80) {
      byte = *at++;
      payload = payload << 7 | (byte & 0x7f);
      if (payload > MOST_PAYLOAD_BYTES || at - page - start > 5) return -1;
    }
    /* 7 bits a byte, the ninth has 8. */
    byte = *at++;
    u64 key = byte & 0x7f;
    for (u32 i = 1; byte >= 0x80 && i < 8; i++) {
      byte = *at++;
      key = key << 7 | (byte & 0x7f);
    }
    if (byte >= 0x80) key = key << 8 | *at++;
    keys[row] = key;
    if (row > 0 && keys[row] <= keys[row - 1]) return -1;
    starts[row] = at - bytes;
    lengths[row] = payload;
    u32 local = local_bytes(payload, page_bytes);
    u32 end = at - page + local;
    if (local != payload) {
      end += 4;
      flags |= OVERFLOWING;
    } else if (end < start + LEAST_CELL_BYTES) end = start + LEAST_CELL_BYTES;
    if (end > page_bytes) return -1;
    /* The first row is usually the last one in its page, the second is before it, and so on. */
    if (end != dense_end) flags &= ~DENSE;
    dense_end = start;
    cell_starts[cell] = start;
    cell_ends[cell] = end;
  }
  if (dense_end != content) flags &= ~DENSE;
  return count | flags;
}

/* ---- Records (records.ts) to columns ---- */

/*
 * Serial types and places of all values of rows, column after column. 0: not a record, or a column is missing that may not be. 8 bytes after the
 * last record can be read.
 */
i32 EXPORT(read_records)(const u32 *starts, const u32 *lengths, u32 rows, u32 columns, u32 least_columns,
                         u32 *serials, u32 *places, const u8 *bytes) {
  for (u32 row = 0; row < rows; row++) {
    u32 start = starts[row], end = start + lengths[row], at = start;
    u32 byte = bytes[at++], header = byte & 0x7f;
    while (byte >= 0x80 && at < start + 4) {
      byte = bytes[at++];
      header = header << 7 | (byte & 0x7f);
    }
    u32 header_end = start + header, value = header_end, index = row;
    if (header_end > end) return 0;
    for (u32 column = 0; column < columns; column++, index += rows) {
      if (at >= header_end) {
        if (at > header_end || column < least_columns) return 0;
        serials[index] = NONE;
        continue;
      }
      byte = bytes[at++];
      u64 serial = byte & 0x7f;
      /* 35 bits: more than any value that is read has. */
      for (u32 most = at + 4; byte >= 0x80 && at < most;) {
        byte = bytes[at++];
        serial = serial << 7 | (byte & 0x7f);
      }
      if (byte >= 0x80 || serial > 0x7fffffff) return 0;
      serials[index] = serial;
      places[index] = value;
      if (serial >= FIRST_BLOB) value += ((u32)serial - FIRST_BLOB) >> 1;
      else if (serial <= ONE) value += VALUE_BYTES[serial];
      else return 0; /* reserved */
      if (value > end) return 0;
    }
    if (at != header_end || value != end) return 0;
  }
  return 1;
}

/* Integers of 1 to 4 bytes. */
INLINE i32 small_integer(const u8 *at, u32 serial) {
  switch (serial) {
    case 1: return (i8)at[0];
    case 2: return (i16)big16(at);
    case 3: return (i32)(big16(at) << 16 | at[2] << 8) >> 8;
    default: return (i32)big32(at);
  }
}

/* An integer of a serial type other than FLOAT. */
INLINE i64 integer(const u8 *at, u32 serial) {
  if (serial <= 4) return small_integer(at, serial);
  if (serial == INT48) return (i64)((u64)big16(at) << 48 | (u64)big32(at + 2) << 16) >> 16;
  if (serial == INT64) return (i64)big64(at);
  return serial - ZERO;
}

/*
 * The functions below read a column of `rows` values. They return the number of nulls; -1: a value is not plainly of the type. The bits are
 * zero before.
 */
i32 EXPORT(read_booleans)(const u32 *serials, const u32 *places, u32 rows, const u8 *bytes, u8 *values, u8 *bits) {
  i32 nulls = 0;
  for (u32 row = 0; row < rows; row++) {
    u32 serial = serials[row];
    values[row] = 0;
    if (serial == NONE) {
      nulls++;
      continue;
    }
    if (serial > ONE || (serial > 4 && serial < ZERO)) return -1;
    i64 value = integer(bytes + places[row], serial);
    if ((u64)value > 1) return -1;
    values[row] = value;
    set_bit(bits, row);
  }
  return nulls;
}

i32 EXPORT(read_integers)(const u32 *serials, const u32 *places, u32 rows, const u8 *bytes, i32 *values, u8 *bits) {
  i32 nulls = 0;
  for (u32 row = 0; row < rows; row++) {
    u32 serial = serials[row];
    values[row] = 0;
    if (serial == NONE) {
      nulls++;
      continue;
    }
    if (serial > ONE || (serial > 4 && serial < ZERO)) return -1;
    values[row] = (i32)integer(bytes + places[row], serial);
    set_bit(bits, row);
  }
  return nulls;
}

i32 EXPORT(read_longs)(const u32 *serials, const u32 *places, u32 rows, const u8 *bytes, i64 *values, u8 *bits) {
  i32 nulls = 0;
  for (u32 row = 0; row < rows; row++) {
    u32 serial = serials[row];
    values[row] = 0;
    if (serial == NONE) {
      nulls++;
      continue;
    }
    if (serial > ONE || serial == FLOAT) return -1;
    values[row] = integer(bytes + places[row], serial);
    set_bit(bits, row);
  }
  return nulls;
}

/* SQLite reads NaN as null. Integers that a double does not hold exactly are not plain. */
i32 EXPORT(read_floats)(const u32 *serials, const u32 *places, u32 rows, const u8 *bytes, f64 *values, u8 *bits) {
  const i64 most = (1ll << 53) - 1;
  i32 nulls = 0;
  for (u32 row = 0; row < rows; row++) {
    u32 serial = serials[row];
    const u8 *at = bytes + places[row];
    values[row] = 0;
    if (serial > ONE) return -1;
    if (serial == NONE) {
      nulls++;
      continue;
    }
    f64 value;
    if (serial == FLOAT) {
      u64 bits_of_value = big64(at);
      value = *(f64 *)&bits_of_value;
      if (value != value) {
        nulls++;
        continue;
      }
    } else {
      i64 whole = integer(at, serial);
      if (whole > most || whole < -most) return -1;
      value = whole;
    }
    values[row] = value;
    set_bit(bits, row);
  }
  return nulls;
}

/* `text_bit` is 1 for texts, 0 for blobs. The sum of the lengths is below 2^32: they are in the records. */
i32 EXPORT(measure_texts)(const u32 *serials, u32 rows, u32 text_bit, u32 *offsets, u8 *bits) {
  i32 nulls = 0;
  u32 total = 0;
  offsets[0] = 0;
  for (u32 row = 0; row < rows; row++) {
    u32 serial = serials[row];
    if (serial == NONE) nulls++;
    else if (serial < FIRST_BLOB || (serial & 1) != text_bit) return -1;
    else {
      total += (serial - FIRST_BLOB) >> 1;
      set_bit(bits, row);
    }
    offsets[row + 1] = total;
  }
  return nulls;
}

void EXPORT(copy_texts)(const u32 *places, u32 rows, const u8 *bytes, const u32 *offsets, u8 *values) {
  for (u32 row = 0; row < rows; row++)
    copy(values + offsets[row], bytes + places[row], offsets[row + 1] - offsets[row]);
}

/* ---- Geometries (geometry-blob-reader.ts) ---- */

INLINE u32 is_finite(u64 bits) { return (bits >> 52 & 0x7ff) != 0x7ff; }

/* Appends a ring; 0: an ordinate is not finite. */
INLINE u32 append_ring(struct geometries *into, const u8 *at, u32 count) {
  u64 *to = into->coordinates + 2 * into->positions;
  u32 finite = 1;
  for (u32 i = 0; i < 2 * count; i++) {
    u64 bits = ((const any64 *)at)[i];
    finite &= is_finite(bits);
    to[i] = bits;
  }
  into->positions += count;
  into->coord_offsets[++into->rings] = into->positions;
  return finite;
}

/* Reads what follows the header of a point, line or polygon; returns its end, 0: not plain. */
INLINE const u8 *read_part(struct geometries *into, const u8 *at, const u8 *end, u32 kind) {
  u32 rings = 1;
  if (kind == POLYGON) {
    if (end - at < COUNT_BYTES) return 0;
    rings = little32(at);
    at += COUNT_BYTES;
    if (rings == 0 || rings > (u32)(end - at) / COUNT_BYTES) return 0;
  }
  for (u32 ring = 0; ring < rings; ring++) {
    u32 count = 1;
    if (kind != POINT) {
      if (end - at < COUNT_BYTES) return 0;
      count = little32(at);
      at += COUNT_BYTES;
      if (count < (kind == POLYGON ? 4 : 2)) return 0;
    }
    if (count > (u32)(end - at) / POSITION_BYTES || !append_ring(into, at, count)) return 0;
    const f64 *last = (f64 *)(into->coordinates + 2 * into->positions) - 2;
    const f64 *first = last - 2 * (count - 1);
    if (kind == POLYGON && !(first[0] == last[0] && first[1] == last[1])) return 0;
    at += POSITION_BYTES * count;
  }
  into->part_kinds[into->parts++] = kind;
  into->ring_offsets[into->parts] = into->rings;
  return at;
}

/* Reads the WKB at `at`; 0: not plain. */
INLINE u32 read_wkb(struct geometries *into, const u8 *at, const u8 *end) {
  if (end - at < TYPE_BYTES || at[0] != 1) return 0;
  u32 type = little32(at + 1);
  at += TYPE_BYTES;
  if (type < POINT || type > MULTI_POLYGON) return 0;
  if (type <= POLYGON) return read_part(into, at, end, type) != 0 ? type : 0;
  if (end - at < COUNT_BYTES) return 0;
  u32 members = little32(at);
  at += COUNT_BYTES;
  if (members == 0) return 0;
  for (; members > 0; members--) {
    if (end - at < TYPE_BYTES || at[0] != 1 || little32(at + 1) != type - 3) return 0;
    at = read_part(into, at + TYPE_BYTES, end, type - 3);
    if (at == 0) return 0;
  }
  return type;
}

/*
 * Reads a column of blobs (geometry-blob-reader.ts). 0: one of them is not plain. Plain is what needs neither a change nor a finding: XY of
 * finite numbers, little-endian, not empty, closed rings, no curves and no collections, in the CRS of the layer. The coordinates have room for as many
 * bytes as the blobs have, parts and rings for one each 16 bytes.
 */
i32 EXPORT(read_geometries)(const u32 *serials, const u32 *places, u32 rows, const u8 *bytes, i32 srs_id,
                            u32 most_positions, struct geometries *into) {
  static const u8 envelope_bytes[] = {0, 32, 48, 48, 64};
  into->part_offsets[0] = into->ring_offsets[0] = into->coord_offsets[0] = 0;
  for (u32 row = 0; row < rows; row++) {
    u32 serial = serials[row], type = 0;
    if (serial != NONE) {
      if (serial < FIRST_BLOB || (serial & 1) != 0) return 0;
      u32 length = (serial - FIRST_BLOB) >> 1;
      const u8 *at = bytes + places[row], *end = at + length;
      if (length < HEADER_BYTES || at[0] != 'G' || at[1] != 'P' || at[2] != 0) return 0;
      u32 flags = at[3], envelope = flags >> 1 & 7;
      if ((flags & EXTENDED) != 0 || envelope >= sizeof envelope_bytes) return 0;
      if (length < HEADER_BYTES + envelope_bytes[envelope]) return 0;
      u32 id = (flags & LITTLE_ENDIAN_HEADER) != 0 ? little32(at + 4) : big32(at + 4);
      if ((i32)id != srs_id) return 0;
      u32 before = into->positions;
      type = read_wkb(into, at + HEADER_BYTES + envelope_bytes[envelope], end);
      if (type == 0 || into->positions - before > most_positions) return 0;
    }
    into->types[row] = type;
    into->part_offsets[row + 1] = into->parts;
  }
  return 1;
}
