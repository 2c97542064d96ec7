/** An identifier as it stands in SQL, whatever is in it. */
export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

/** Names of SQLite are equal in any case of the letters A to Z, and of no others. */
export function sameName(a: string, b: string): boolean {
  return folded(a) === folded(b);
}

export function folded(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
