// Names in SQL: how they are quoted, and which are possible.

/** PostgreSQL cuts off longer names (NAMEDATALEN - 1). */
export const MAX_NAME_BYTES = 63

/** A type as the user writes it: `text`, `numeric(10,2)`, `"Mood"`, `shop.colour[]`. No statement can hide in it. */
export const COLUMN_TYPE: RegExp = /^(?:[a-z_][\w.]*|"[^"\0]+")(?: [a-z]+)*(?: ?\(\d+(?:, ?\d+)?\))?(?: [a-z]+)*(?:\[\])*$/i

/** What a column may get instead of a field, and the type that it has in a table that is made. */
export const SOURCES: Readonly<Record<'@extra' | '@item' | '@key' | '@time' | '@url', string>> = {
  '@extra': 'jsonb',
  '@item': 'jsonb',
  '@key': 'text',
  '@time': 'timestamptz',
  '@url': 'text',
}

/** Whether `text` names a source, such as `@url`. */
export function isSource(text: string): text is keyof typeof SOURCES {
  return Object.hasOwn(SOURCES, text)
}

/** The column for fields that have none, where the columns are not named. */
export const EXTRA = 'extra'

/** A name as SQL has it, whatever is in it: the only way from a name to a statement. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
