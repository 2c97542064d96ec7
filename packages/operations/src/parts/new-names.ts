/** Checks what a request renames. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';

/** Throws TRANSFORMATION_INVALID if two fields get the same name. `path` of the names, for messages. */
export function checkNewNames(newNames: Readonly<Record<string, string>>, path: string): void {
  const taken = new Map<string, string>();
  for (const [from, to] of Object.entries(newNames)) {
    const other = taken.get(to);
    if (other !== undefined) {
      const reason = `renames both '${other}' and '${from}' to '${to}'`;
      throw failure(generalErrors.TRANSFORMATION_INVALID, { path: field(path), reason });
    }
    taken.set(to, from);
  }
}
