// The name of the fail point that a statement is: what it writes and where. Statements that only read are none.

const SHAPES: readonly (readonly [shape: RegExp, name: (found: readonly string[]) => string])[] = [
  [/^INSERT (?:OR \w+ )?INTO (\w+)/i, ([, table]) => `insert ${table}`],
  // Which columns are written tells one update of a table from another.
  [/^UPDATE (\w+) SET (\w+)/i, ([, table, column]) => `update ${table}.${column}`],
  [/^DELETE FROM (\w+)/i, ([, table]) => `delete ${table}`],
  [/^CREATE TABLE (\w+)/i, ([, table]) => `create ${table}`],
  [/^CREATE (?:UNIQUE )?INDEX (\w+)/i, ([, index]) => `create ${index}`],
  [/^ALTER TABLE (\w+) (?:ADD|DROP|RENAME) COLUMN (\w+)/i, ([, table, column]) => `alter ${table}.${column}`],
  [/^(BEGIN|COMMIT|ROLLBACK)/i, ([, word]) => String(word).toLowerCase()],
  [/^PRAGMA (journal_mode|wal_checkpoint|application_id|user_version) *[=(]/i, ([, word]) => `pragma ${word}`],
]

/** Names of the writes in `sql`, by the first of several statements; undefined where it writes nothing. */
export function pointOfStatement(sql: string): string | undefined {
  const text = sql
    .replaceAll(/--[^\n]*/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  for (const [shape, name] of SHAPES) {
    const found = shape.exec(text)
    if (found !== null) return name(found)
  }
  return undefined
}
