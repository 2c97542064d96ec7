#pragma once
/*
 * Rows of GeoPackage tables: pages and records of SQLite to columns (read-rows.c), and columns to records (write-rows.c), for
 * packages/engines/sqlite/src/compiled-rows.ts.
 *
 * V8 interprets and compiles JavaScript again in each thread, which takes as long as a conversion of 200,000 rows; WebAssembly is fast from
 * the first call. All arguments are places in the memory of the module, which the caller has laid out. Nothing here allocates memory or traps:
 * every length that a file states is compared with the bytes that are left before they are read, and a function that meets something unusual
 * returns a value that says so, and the caller reads it in JavaScript or through SQLite.
 *
 * node scripts/build-compiled-rows.ts compiles these files. Without SIMD: not every processor that runs Node has it.
 */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef float f32;
typedef double f64;

/* Numbers at any place. WebAssembly is little-endian. */
typedef u16 __attribute__((aligned(1))) any16;
typedef u32 __attribute__((aligned(1))) any32;
typedef u64 __attribute__((aligned(1))) any64;

#define EXPORT(name) __attribute__((export_name(#name))) name
#define INLINE static inline __attribute__((always_inline))

INLINE u32 little32(const u8 *at) { return *(const any32 *)at; }
INLINE u32 big16(const u8 *at) { return __builtin_bswap16(*(const any16 *)at); }
INLINE u32 big32(const u8 *at) { return __builtin_bswap32(*(const any32 *)at); }
INLINE u64 big64(const u8 *at) { return __builtin_bswap64(*(const any64 *)at); }
INLINE void set_little32(u8 *at, u32 value) { *(any32 *)at = value; }
INLINE void set_big16(u8 *at, u32 value) { *(any16 *)at = __builtin_bswap16(value); }
INLINE void set_big32(u8 *at, u32 value) { *(any32 *)at = __builtin_bswap32(value); }
INLINE void set_big64(u8 *at, u64 value) { *(any64 *)at = __builtin_bswap64(value); }

/* Most values have a few bytes. */
INLINE void copy(u8 *to, const u8 *from, u32 count) {
  for (; count >= 8; count -= 8, to += 8, from += 8) *(any64 *)to = *(const any64 *)from;
  if (count & 4) { *(any32 *)to = *(const any32 *)from; to += 4; from += 4; }
  if (count & 2) { *(any16 *)to = *(const any16 *)from; to += 2; from += 2; }
  if (count & 1) *to = *from;
}

INLINE void set_bit(u8 *bits, u32 row) { bits[row >> 3] |= 1 << (row & 7); }
INLINE u32 is_valid(const u8 *validity, u32 row) { return validity == 0 || (validity[row >> 3] >> (row & 7) & 1); }

/* Serial types of records (records.ts). */
enum { NONE = 0, INT48 = 5, INT64 = 6, FLOAT = 7, ZERO = 8, ONE = 9, FIRST_BLOB = 12 };
static const u8 VALUE_BYTES[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};

/* geometry-column.ts, with XY only. */
struct geometries {
  u8 *types;
  u32 *part_offsets;
  u8 *part_kinds;
  u32 *ring_offsets;
  u32 *coord_offsets;
  u64 *coordinates;
  u32 parts, rings, positions;
};

enum { POINT = 1, LINE = 2, POLYGON = 3, MULTI_POINT = 4, MULTI_LINE = 5, MULTI_POLYGON = 6 };
enum { HEADER_BYTES = 8, ENVELOPE_BYTES = 32, TYPE_BYTES = 5, COUNT_BYTES = 4, POSITION_BYTES = 16 };
enum { LITTLE_ENDIAN_HEADER = 1, ENVELOPE_XY = 2, EMPTY = 16, EXTENDED = 32 };
