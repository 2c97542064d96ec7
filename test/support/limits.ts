/** The limits that the settings have by default. */
import { inputLimits } from '../../src/cli/input-limits.ts';
import { readConfig } from '../../src/config.ts';

export const DEFAULT_INPUT_LIMITS = inputLimits(readConfig({}));
