/** Errors of this module. */
import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const accountAreaErrors = errorTable({
  ACCOUNT_FIELD: user(400, "'{field:path}' {reason}"),
  USER_UNKNOWN: user(404, "there is no user '{user}'; 'geomill users list' shows all users"),
  LAST_ADMIN: user(409, "'{user}' is the only administrator; make another user an administrator first"),
  FORM_REFUSED: user(
    403,
    'the form was not sent from a page of this service, or the page was open for too long; open the page again',
  ),
  SIGN_IN_BUSY: user(503, 'too many people are signing in at the moment; try again in {seconds} s'),
  SIGN_IN_UNAVAILABLE: user(503, 'the identity provider cannot be reached; try again in {seconds} s'),
});
