/** Errors of this module. */
import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const cliErrors = errorTable({
  SUBMISSION_FAILED: user(400, 'the service {service} did not convert the file: {reason}'),
  NOT_DIVISIBLE: user(400, 'the conversion cannot be divided into parts: {reason}; use geomill convert'),
  PLAN_MISSING: user(400, "there is no plan in '{work}'; geomill plan makes it, and geomill join removes it"),
  PLAN_INVALID: user(400, "the plan '{file}' is damaged: {reason}; plan the conversion again"),
  PLAN_VERSION: user(
    400,
    "the plan '{file}' was made by geomill {made}, and this is {own}; use one version for all parts, or plan the conversion again",
  ),
  PLAN_OUTDATED: user(400, "'{path}' {change} since the plan was made; plan the conversion again"),
  PARTS_MISSING: user(400, "{missing} not complete in '{work}'; run geomill part for each of them"),
});
