// The table of a plugin: rows of JSON by key, in the store. They are read before the items of a page are shown to the plugin, and what it writes is
// committed with that page: items and rows agree, whenever the crawl is killed.
import type { Json } from '../values/json.ts'

/** Rows of a plugin, as `onItem` sees them: those of the keys that its `tableKeys` gave for the items of the page. */
export interface PluginTable {
  /** The value as the pages before this one left it, or as this page set it; undefined: there is none. A copy. */
  get(key: string): Json | undefined
  /** Sets it. Throws where the JSON has more than 65,536 characters: nothing of the page is stored then. */
  set(key: string, value: Json): void
  /** Removes it, if there is one. */
  delete(key: string): void
}

/** Names a row. */
export interface TableKey {
  readonly plugin: string
  /** 1 to 512 characters, without U+0000 and halves of surrogate pairs. */
  readonly key: string
}

/** A row as it is stored. */
export interface TableRow extends TableKey {
  readonly json: string
}

/** A row as a page leaves it; null: it is deleted. */
export interface TableChange extends TableKey {
  readonly json: string | null
}
