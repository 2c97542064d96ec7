/** Errors of this module. */
import { errorTable, ours, user } from '@geomill/core/messages/catalogue-entries.ts';

export const accountErrors = errorTable({
  TOO_MANY_ATTEMPTS: user(429, 'too many attempts with wrong credentials; try again in {seconds} s'),
  CREDENTIAL_FIELD: user(400, "'{field:path}' {reason}"),
  CREDENTIAL_UNKNOWN: user(404, "there is no key or client '{id}'"),
  OWNER_UNKNOWN: user(
    400,
    "there is no user '{owner}'; create the user first, or use the name of a service account, which has no '@'",
  ),
  PAGE_REFUSED: user(
    403,
    "only pages of this service can use its sessions: the request needs the header 'Origin' with the address of the service and 'x-geomill-page: 1'; programs use API keys",
  ),
  ACCOUNTS_DATABASE: ours(500, 'the accounts database {path} cannot be opened: {reason}'),
});
