// Rows of plugins' tables, for as long as a page is in progress: read before its items go through `onItem`, and written with them.
//
// All keys of a page are known before any row is read (`tableKeys`), so it takes its place behind the pages that have one of them in a single step: pages never
// wait for each other in a circle, and each reads what those before it have committed. It leaves once its commit has ended, whatever became of it. Pages with
// other keys pass. The alternative, rows that are asked for one by one, needs an answer to circles, and a call to the store for each item.
import { AvocetError, kindAndMessageOf } from '../values/errors.ts'
import { isTableKey, MAX_TABLE_KEY } from '../laws/commit-unit.ts'
import { shown } from '../values/shown.ts'
import type { NewItem } from '../ports/frontier.ts'
import type { Json } from '../values/json.ts'
import type { ItemSource, Plugin } from '../ports/plugin.ts'
import type { PluginTable, TableChange, TableKey, TableRow } from '../ports/plugin-table.ts'
import type { Request } from '../ports/request.ts'
import { unlikeJson } from '../values/unlike-json.ts'

/** Rows of one call to the store: some 5 ms. */
const READ_AT_ONCE = 1_000
/** Characters of a value as JSON, at most. */
const MAX_VALUE = 65_536

/** Whose items they are. */
export type ItemPage = Omit<ItemSource, 'ordinal' | 'table'>

/** The tables of the plugins of a run. */
export class PluginTables {
  readonly #plugins: readonly Plugin[]
  readonly #read: (keys: readonly TableKey[]) => Promise<readonly TableRow[]>
  /** By row: when the last of the pages that have its key is committed. */
  readonly #last = new Map<string, Promise<void>>()
  readonly #rows = new WeakMap<Request, PageRows>()

  constructor(plugins: readonly Plugin[], read: (keys: readonly TableKey[]) => Promise<readonly TableRow[]>) {
    this.#plugins = plugins.filter(({ tableKeys }) => tableKeys !== undefined)
    this.#read = read
  }

  get isUsed(): boolean {
    return this.#plugins.length > 0
  }

  /** Reads the rows that the items of a page are about, once it is the page's turn, which lasts until `over`. Rejects with what `tableKeys` throws. */
  async take(items: readonly NewItem[], page: ItemPage): Promise<void> {
    const keys = this.#keysOf(items, page)
    const { promise, resolve: over } = Promise.withResolvers<void>()
    const rows = new PageRows(keys, over)
    this.#rows.set(page.request, rows)
    const before = [...keys.keys()].flatMap((name) => this.#last.get(name) ?? [])
    for (const name of keys.keys()) this.#last.set(name, promise)
    void promise.then(() => {
      for (const name of keys.keys()) if (this.#last.get(name) === promise) this.#last.delete(name)
    })
    await Promise.all(before)
    const wanted = [...keys.values()]
    for (let at = 0; at < wanted.length; at += READ_AT_ONCE) rows.add(await this.#read(wanted.slice(at, at + READ_AT_ONCE)))
  }

  /** What is to be written for a page. Nothing can be set from then on. */
  changesOf(request: Request): readonly TableChange[] {
    return this.#rows.get(request)?.changes ?? []
  }

  /** The commit of a page has ended, whatever became of it: pages that wait for one of its rows go on. */
  over(request: Request): void {
    this.#rows.get(request)?.over()
  }

  /** That of a plugin, for the items of the page of `request`. */
  of(plugin: string, { request }: ItemPage): PluginTable {
    return this.#rows.get(request)?.of(plugin) ?? NO_TABLE
  }

  #keysOf(items: readonly NewItem[], page: ItemPage): Map<string, TableKey> {
    const keys = new Map<string, TableKey>()
    for (const [index, { json, ordinal = index }] of items.entries()) {
      for (const plugin of this.#plugins) {
        for (const key of keysOf(plugin, JSON.parse(json) as Json, { ...page, ordinal, table: NO_TABLE }))
          keys.set(nameOf(plugin.name, key), { plugin: plugin.name, key })
      }
    }
    return keys
  }
}

/** The rows of one page. */
class PageRows {
  readonly over: () => void
  readonly #keys: ReadonlyMap<string, TableKey>
  readonly #before = new Map<string, string>()
  readonly #now = new Map<string, string>()
  #changes: readonly TableChange[] | undefined

  constructor(keys: ReadonlyMap<string, TableKey>, over: () => void) {
    this.#keys = keys
    this.over = over
  }

  /** As the store has them. */
  add(rows: readonly TableRow[]): void {
    for (const { plugin, key, json } of rows) for (const map of [this.#before, this.#now]) map.set(nameOf(plugin, key), json)
  }

  /** What is to be written. Nothing can be set from then on. */
  get changes(): readonly TableChange[] {
    this.#changes ??= [...this.#keys].flatMap(([name, row]) => {
      const json = this.#now.get(name)
      return json === this.#before.get(name) ? [] : [{ ...row, json: json ?? null }]
    })
    return this.#changes
  }

  /** Those of a plugin. */
  of(plugin: string): PluginTable {
    return {
      get: (key) => {
        const json = this.#now.get(this.#name(plugin, key))
        return json === undefined ? undefined : (JSON.parse(json) as Json)
      },
      set: (key, value) => void this.#now.set(this.#name(plugin, key), textOf(key, value)),
      delete: (key) => void this.#now.delete(this.#name(plugin, key)),
    }
  }

  #name(plugin: string, key: string): string {
    const name = nameOf(plugin, key)
    if (this.#changes !== undefined) throw new Error(`table: the page of row ${shown(key)} was handed over already`)
    if (!this.#keys.has(name))
      throw new Error(`table: expected a key that tableKeys gave for an item of the page, got ${shown(key)}`)
    return name
  }
}

/** Of a plugin that declares no keys, and of taps that are no plugin's. */
export const NO_TABLE: PluginTable = { get: noTable, set: noTable, delete: noTable }

function noTable(): never {
  throw new Error('table: expected the plugin to declare tableKeys(item), which says what rows an item is about')
}

/** Names of plugins have no spaces. */
function nameOf(plugin: string, key: string): string {
  return `${plugin} ${key}`
}

function textOf(key: string, value: Json): string {
  const flaw = unlikeJson(value, 'value')
  if (flaw !== undefined) throw new TypeError(`table.set(${shown(key)}): expected plain JSON, but ${flaw}`)
  const json = JSON.stringify(value)
  if (json.length <= MAX_VALUE) return json
  throw new RangeError(
    `table.set(${shown(key)}): expected at most ${MAX_VALUE} characters of JSON, got ${json.length}; keep it under several keys`,
  )
}

function keysOf({ name, ...plugin }: Plugin, item: Json, source: ItemSource): readonly string[] {
  const expected = `texts of 1 to ${MAX_TABLE_KEY} characters without U+0000`
  try {
    const keys = [plugin.tableKeys?.(item, source) ?? []].flat()
    for (const key of keys) if (!isTableKey(key)) throw new TypeError(`expected ${expected}, got ${shown(key)}`)
    return keys
  } catch (cause) {
    throw new AvocetError('AVO_PLUGIN_THREW', `plugin ${name} threw in tableKeys: ${kindAndMessageOf(cause)}`, { cause })
  }
}
