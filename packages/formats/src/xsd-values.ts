/** Values of types of XML Schema. */

const DAY = String.raw`-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01])`;
const CLOCK = String.raw`(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?|24:00:00(?:\.0+)?)`;
const ZONE = String.raw`(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))`;
/** A year 0 does not exist, and a year of more than four digits begins with none. */
const TIME = new RegExp(String.raw`^-?(?!0000)(?:\d{4}|[1-9]\d{4,8})(?:${DAY}(?:T${CLOCK}${ZONE}?)?)?)?$`);
/** The month and the day of a date that not every month has. */
const LATE_DAY = /^-?(\d+)-(\d\d)-(29|30|31)/;

const URI_CHARACTER = String.raw`(?:[\w.~!$&'()*+,;=:@-]|%[\da-f]{2})`;
const AUTHORITY = String.raw`(?:(?:(?!@)${URI_CHARACTER})*@)?(?:\[[\da-f:.]+\]|(?:(?![:@])${URI_CHARACTER})*)(?::\d{1,5})?`;
const PATH = String.raw`(?:\/\/${AUTHORITY}(?:\/(?:${URI_CHARACTER}|\/)*)?|(?!\/\/)(?:${URI_CHARACTER}|\/)*)`;
const TAIL = String.raw`(?:\?(?:${URI_CHARACTER}|[\/?])*)?(?:#(?:${URI_CHARACTER}|[\/?])*)?`;
/** RFC 3986; without scheme, the first part of a path has no colon. */
const URI = new RegExp(String.raw`^(?:[a-z][a-z\d+.-]*:|(?![^\/?#]*:))${PATH}${TAIL}$`, 'i');
/** Characters that an xsd:anyURI may have where a URI has their UTF-8 in percent notation. */
const ESCAPED_IN_URI = /[ "<>\\^`{|}\u007f-\ufffd]/g;
/** Longer ones are in no use. */
const MAX_URI_LENGTH = 65_536;

/** Whether a text is an xsd:anyURI, without blanks around it. */
export function isXsdUri(text: string): boolean {
  return text.length <= MAX_URI_LENGTH && text === text.trim() && URI.test(text.replace(ESCAPED_IN_URI, '_'));
}

/** Whether a text is an xsd:dateTime, or an xsd:date, xsd:gYearMonth or xsd:gYear without zone. */
export function isXsdTime(text: string): boolean {
  if (!TIME.test(text)) return false;
  const late = LATE_DAY.exec(text);
  return late === null || Number(late[3]) <= daysOf(Number(late[1]), Number(late[2]));
}

function daysOf(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}
