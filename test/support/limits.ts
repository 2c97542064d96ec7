/** The limits that the settings have by default. */
import { readConfig } from '../../apps/service/src/settings/config.ts';
import { inputLimits } from '../../apps/service/src/settings/input-limits.ts';

export const DEFAULT_INPUT_LIMITS = inputLimits(readConfig({}));
