/** The limits that the settings have by default. */

import { readConfig } from '../../src/config.ts';
import { inputLimits } from '../../src/input-limits.ts';

export const DEFAULT_INPUT_LIMITS = inputLimits(readConfig({}));
