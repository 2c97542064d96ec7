/** Write options of formats that write coordinates as text. Without imports, because the catalogue of errors has the formats. */

const COMPUTED =
  'Default: 7 for computed longitudes and latitudes, 15 significant digits for other computed coordinates, and all digits for unchanged ones.';

export const digitOptions = {
  decimals: {
    type: 'integer',
    minimum: 0,
    maximum: 15,
    description: `Decimal places of coordinates, in the unit of each axis. ${COMPUTED}`,
  },
  significant_digits: {
    type: 'integer',
    minimum: 7,
    maximum: 15,
    description: 'Significant digits of coordinates, in place of decimal places.',
  },
  precision: {
    type: 'integer',
    minimum: 7,
    maximum: 15,
    description: 'Deprecated name of `significant_digits`.',
  },
} as const;
