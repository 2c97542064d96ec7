#include "rows.h"

/* Columns to records, as record-encode.ts. */

INLINE u32 varint_bytes(u32 value) {
  return value < 1 << 7 ? 1 : value < 1 << 14 ? 2 : value < 1 << 21 ? 3 : value < 1 << 28 ? 4 : 5;
}

INLINE u8 *write_varint(u8 *at, u32 value) {
  u32 count = varint_bytes(value);
  at[count - 1] = value & 0x7f;
  for (u32 i = count - 1; i > 0; i--) {
    value >>= 7;
    at[i - 1] = 0x80 | (value & 0x7f);
  }
  return at + count;
}

/* Bytes of the header of a record: it begins with its own length. */
INLINE u32 header_bytes(u32 serial_bytes) {
  u32 own = 1;
  while (varint_bytes(serial_bytes + own) > own) own++;
  return serial_bytes + own;
}

INLINE u32 integer_serial(i64 value) {
  u64 size = value < 0 ? -(value + 1) : value;
  if (size < 1 << 7) return value == 0 ? ZERO : value == 1 ? ONE : 1;
  return size < 1 << 15 ? 2 : size < 1 << 23 ? 3 : size < 1ull << 31 ? 4 : size < 1ull << 47 ? INT48 : INT64;
}

/* The functions below set the serial types of a column, and add the bytes of these to `headers` and those of the values to `sizes`. */
void EXPORT(measure_booleans)(const u8 *values, const u8 *validity, u32 rows, u32 *serials, u32 *headers, u32 *sizes) {
  for (u32 row = 0; row < rows; row++) {
    serials[row] = !is_valid(validity, row) ? NONE : values[row] != 0 ? ONE : ZERO;
    headers[row]++;
  }
}

void EXPORT(measure_integers)(const i32 *values, const u8 *validity, u32 rows, u32 *serials, u32 *headers, u32 *sizes) {
  for (u32 row = 0; row < rows; row++) {
    serials[row] = is_valid(validity, row) ? integer_serial(values[row]) : NONE;
    headers[row]++;
    sizes[row] += VALUE_BYTES[serials[row]];
  }
}

void EXPORT(measure_longs)(const i64 *values, const u8 *validity, u32 rows, u32 *serials, u32 *headers, u32 *sizes) {
  for (u32 row = 0; row < rows; row++) {
    serials[row] = is_valid(validity, row) ? integer_serial(values[row]) : NONE;
    headers[row]++;
    sizes[row] += VALUE_BYTES[serials[row]];
  }
}

/* Whole numbers of up to 6 bytes are stored as integers. */
void EXPORT(measure_floats)(const f64 *values, const u8 *validity, u32 rows, u32 *serials, u32 *headers, u32 *sizes) {
  const f64 least = -140737488355328; /* -2^47 */
  for (u32 row = 0; row < rows; row++) {
    f64 value = values[row];
    u32 serial = NONE;
    if (is_valid(validity, row)) {
      u32 is_whole = value >= least && value < -least && __builtin_trunc(value) == value;
      serial = is_whole ? integer_serial((i64)value) : FLOAT;
    }
    serials[row] = serial;
    headers[row]++;
    sizes[row] += VALUE_BYTES[serial];
  }
}

void EXPORT(measure_strings)(const u32 *offsets, const u8 *validity, u32 rows, u32 *serials, u32 *headers, u32 *sizes,
                             u32 text_bit) {
  for (u32 row = 0; row < rows; row++) {
    u32 count = offsets[row + 1] - offsets[row];
    serials[row] = is_valid(validity, row) ? FIRST_BLOB + 2 * count + text_bit : NONE;
    headers[row] += varint_bytes(serials[row]);
    sizes[row] += count;
  }
}

INLINE u32 write_integer(u8 *at, i64 value, u32 serial) {
  switch (serial) {
    case 1: at[0] = value; return 1;
    case 2: set_big16(at, value); return 2;
    case 3: at[0] = value >> 16; set_big16(at + 1, value); return 3;
    case 4: set_big32(at, value); return 4;
    case INT48: set_big16(at, value >> 32); set_big32(at + 2, value); return 6;
    case INT64: set_big64(at, value); return 8;
    default: return 0;
  }
}

/* The functions below write serial types and values of a column, and move the places of each row behind them. */
void EXPORT(write_booleans)(const u8 *values, u32 rows, const u32 *serials, u8 *bytes, u32 *header_at, u32 *value_at) {
  for (u32 row = 0; row < rows; row++) bytes[header_at[row]++] = serials[row];
}

void EXPORT(write_integers)(const i32 *values, u32 rows, const u32 *serials, u8 *bytes, u32 *header_at, u32 *value_at) {
  for (u32 row = 0; row < rows; row++) {
    bytes[header_at[row]++] = serials[row];
    value_at[row] += write_integer(bytes + value_at[row], values[row], serials[row]);
  }
}

void EXPORT(write_longs)(const i64 *values, u32 rows, const u32 *serials, u8 *bytes, u32 *header_at, u32 *value_at) {
  for (u32 row = 0; row < rows; row++) {
    bytes[header_at[row]++] = serials[row];
    value_at[row] += write_integer(bytes + value_at[row], values[row], serials[row]);
  }
}

void EXPORT(write_floats)(const f64 *values, u32 rows, const u32 *serials, u8 *bytes, u32 *header_at, u32 *value_at) {
  for (u32 row = 0; row < rows; row++) {
    u32 serial = serials[row];
    bytes[header_at[row]++] = serial;
    if (serial == FLOAT) {
      set_big64(bytes + value_at[row], ((const u64 *)values)[row]);
      value_at[row] += 8;
    } else if (serial != NONE) value_at[row] += write_integer(bytes + value_at[row], (i64)values[row], serial);
  }
}

void EXPORT(write_strings)(const u32 *offsets, u32 rows, const u32 *serials, u8 *bytes, u32 *header_at, u32 *value_at,
                           const u8 *source) {
  for (u32 row = 0; row < rows; row++) {
    u32 count = offsets[row + 1] - offsets[row];
    header_at[row] = write_varint(bytes + header_at[row], serials[row]) - bytes;
    copy(bytes + value_at[row], source + offsets[row], count);
    value_at[row] += count;
  }
}

INLINE u8 *write_type(u8 *at, u32 type) {
  at[0] = 1;
  set_little32(at + 1, type);
  return at + TYPE_BYTES;
}

INLINE u8 *write_count(u8 *at, u32 count) {
  set_little32(at, count);
  return at + COUNT_BYTES;
}

/* An empty point is a point of NaN. */
INLINE u8 *write_empty(u8 *at, u32 type) {
  at = write_type(at, type);
  if (type != POINT) return write_count(at, 0);
  const u64 nan = 0x7ff8000000000000;
  *(any64 *)at = nan;
  *(any64 *)(at + 8) = nan;
  return at + POSITION_BYTES;
}

/* Part kinds and the types of single geometries are the same numbers. */
INLINE u8 *write_part(const struct geometries *of, u8 *at, u32 part) {
  u32 kind = of->part_kinds[part], first = of->ring_offsets[part], end = of->ring_offsets[part + 1];
  if (first == end) return write_empty(at, kind);
  at = write_type(at, kind);
  if (kind == POLYGON) at = write_count(at, end - first);
  for (u32 ring = first; ring < end; ring++) {
    u32 position = of->coord_offsets[ring], count = of->coord_offsets[ring + 1] - position;
    if (kind != POINT) at = write_count(at, count);
    for (u32 i = 0; i < 2 * count; i++, at += 8) *(any64 *)at = of->coordinates[2 * position + i];
  }
  return at;
}

INLINE u8 *write_wkb(const struct geometries *of, u8 *at, u32 type, u32 first, u32 end) {
  if (type > POLYGON) {
    at = write_count(write_type(at, type), end - first);
    for (u32 part = first; part < end; part++) at = write_part(of, at, part);
    return at;
  }
  return first < end ? write_part(of, at, first) : write_empty(at, type);
}

/* As much as write_wkb writes. */
INLINE u32 wkb_bytes(const struct geometries *of, u32 type, u32 first, u32 end) {
  u32 bytes = 0;
  if (type > POLYGON) bytes = TYPE_BYTES + COUNT_BYTES;
  else if (first == end) return TYPE_BYTES + (type == POINT ? POSITION_BYTES : COUNT_BYTES);
  else end = first + 1;
  for (u32 part = first; part < end; part++) {
    u32 kind = of->part_kinds[part], ring = of->ring_offsets[part], ring_end = of->ring_offsets[part + 1];
    bytes += TYPE_BYTES;
    if (kind != POINT) bytes += COUNT_BYTES * (ring == ring_end ? 1 : kind == POLYGON ? 1 + ring_end - ring : ring_end - ring);
    else if (ring == ring_end) bytes += POSITION_BYTES;
    bytes += POSITION_BYTES * (of->coord_offsets[ring_end] - of->coord_offsets[ring]);
  }
  return bytes;
}

/* As roundOutward in rtree-rounding.ts. */
static const f64 TOWARDS_ZERO = 1 - 1.0 / 8388608, AWAY_FROM_ZERO = 1 + 1.0 / 8388608;
static const f64 SMALLEST_NORMAL = 1.1754943508222875e-38, LARGEST_FLOAT = 3.4028234663852886e38;

INLINE f32 float_below(f64 value) {
  f32 below = (f32)value;
  if (!(below > value)) return below;
  if (below == __builtin_inff()) return LARGEST_FLOAT;
  if (__builtin_fabs(value) < SMALLEST_NORMAL) return value < 0 ? -SMALLEST_NORMAL : 0;
  return (f32)(value * (value < 0 ? AWAY_FROM_ZERO : TOWARDS_ZERO));
}

INLINE f32 float_above(f64 value) {
  f32 above = (f32)value;
  if (!(above < value)) return above;
  if (above == -__builtin_inff()) return -LARGEST_FLOAT;
  if (__builtin_fabs(value) < SMALLEST_NORMAL) return value < 0 ? 0 : SMALLEST_NORMAL;
  return (f32)(value * (value < 0 ? TOWARDS_ZERO : AWAY_FROM_ZERO));
}

/* minX, minY, maxX, maxY; inverted infinities if there is no position. */
struct box {
  f64 min_x, min_y, max_x, max_y;
};

static const struct box NO_BOX = {__builtin_inf(), __builtin_inf(), -__builtin_inf(), -__builtin_inf()};

/* NaN ordinates are skipped. */
INLINE void extend(struct box *box, f64 min_x, f64 min_y, f64 max_x, f64 max_y) {
  if (min_x < box->min_x) box->min_x = min_x;
  if (min_y < box->min_y) box->min_y = min_y;
  if (max_x > box->max_x) box->max_x = max_x;
  if (max_y > box->max_y) box->max_y = max_y;
}

/*
 * Writes each record up to its geometry, its end to `offsets`, and where its other values come to `header_at` and `value_at`. `boxes` gets minX, maxX, minY and
 * maxY of each row for the R-tree, NaN if it has none; `bounds` all of them.
 */
void EXPORT(write_geometries)(const struct geometries *of, u32 rows, i32 srs_id, const u32 *headers, const u32 *sizes,
                              u8 *bytes, u32 *header_at, u32 *value_at, u32 *offsets, f32 *boxes, struct box *bounds) {
  struct box all = NO_BOX;
  u8 *at = bytes;
  offsets[0] = 0;
  for (u32 row = 0; row < rows; row++, boxes += 4) {
    u32 type = of->types[row], first = of->part_offsets[row], end = of->part_offsets[row + 1];
    u32 position = of->coord_offsets[of->ring_offsets[first]], stop = of->coord_offsets[of->ring_offsets[end]];
    struct box box = NO_BOX;
    const f64 *xy = (const f64 *)of->coordinates;
    for (u32 i = 2 * position; i < 2 * stop; i += 2) extend(&box, xy[i], xy[i + 1], xy[i], xy[i + 1]);
    u32 has_box = box.min_x <= box.max_x && box.min_y <= box.max_y;
    u32 has_envelope = has_box && type != POINT;
    u32 blob = 0;
    if (type != 0) blob = HEADER_BYTES + (has_envelope ? ENVELOPE_BYTES : 0) + wkb_bytes(of, type, first, end);
    u32 serial = blob == 0 ? NONE : FIRST_BLOB + 2 * blob;
    u8 *header_end = at + header_bytes(1 + headers[row] + varint_bytes(serial));
    u8 *serial_at = write_varint(at, header_end - at);
    *serial_at = NONE; /* the key */
    header_at[row] = write_varint(serial_at + 1, serial) - bytes;
    at = header_end;
    if (type != 0) {
      u32 is_empty = position == stop || (type == POINT && !has_box);
      set_little32(at, 'G' | 'P' << 8 | (LITTLE_ENDIAN_HEADER | (has_envelope ? ENVELOPE_XY : 0) | (is_empty ? EMPTY : 0)) << 24);
      set_little32(at + 4, srs_id);
      at += HEADER_BYTES;
      if (has_envelope) {
        f64 envelope[] = {box.min_x, box.max_x, box.min_y, box.max_y};
        for (u32 i = 0; i < 4; i++, at += 8) *(any64 *)at = ((u64 *)envelope)[i];
      }
      at = write_wkb(of, at, type, first, end);
    }
    value_at[row] = at - bytes;
    at += sizes[row];
    offsets[row + 1] = at - bytes;
    if (!has_box) {
      boxes[0] = __builtin_nanf("");
      boxes[1] = boxes[2] = boxes[3] = 0;
    } else {
      extend(&all, box.min_x, box.min_y, box.max_x, box.max_y);
      boxes[0] = float_below(box.min_x);
      boxes[1] = float_above(box.max_x);
      boxes[2] = float_below(box.min_y);
      boxes[3] = float_above(box.max_y);
    }
  }
  *bounds = all;
}
