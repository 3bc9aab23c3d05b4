// What each sink of the killed crawl has, compared with what the shops have on sale.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ItemChange } from 'avocet'
import { openPostgresReader } from '@avocet/plugin-postgres'
import { openReader } from '@avocet/plugin-sqlite'
import pg from 'pg'
import { guardedCell } from '@avocet/delivery/files'
import { firstCsvRecord } from '../../packages/sink-files/src/csv.ts'
import type { Posted } from './servers.ts'
import { offersOf, type Offer } from './shops.ts'

/** What one sink has. */
export interface SinkBook {
  readonly sink: string
  /** Rows, lines or items. */
  readonly has: number
  /** Offers that are not there. */
  readonly missing: number
  /** What is there once more than it should be. At least once allows that for a webhook. */
  readonly twice: number
  /** What is no offer of a shop, or differs from it. */
  readonly foreign: number
}

/** What all of them have. */
export interface Books {
  readonly expected: number
  /** Offers that the schema refuses, and how many the store has set aside. */
  readonly refused: { readonly expected: number; readonly has: number }
  readonly sinks: readonly SinkBook[]
  /** In words; empty: each sink has what it should. */
  readonly wrong: readonly string[]
}

/** The oracle, and what was posted. */
export class SinkBooks {
  readonly #folder: string
  readonly #expected: ReadonlySet<string>
  readonly #byId: ReadonlyMap<string, Offer>
  readonly #refused: number
  readonly #posted: string[] = []
  readonly #byKey = new Map<string, string>()
  /** Keys that came with different items. */
  #ambiguous = 0

  constructor(folder: string, { shops, pages }: { readonly shops: number; readonly pages: number }) {
    this.#folder = folder
    const offers = offersOf(shops, pages)
    this.#expected = new Set(offers.filter(({ price }) => typeof price === 'number').map(rowOf))
    this.#byId = new Map(offers.map((offer) => [offer.id, offer]))
    this.#refused = offers.length - this.#expected.size
  }

  /** A webhook came. */
  posted(items: readonly Posted[]): void {
    for (const { key, item } of items) {
      const row = rowOf(item as Offer)
      this.#posted.push(row)
      if ((this.#byKey.get(key) ?? row) !== row) this.#ambiguous += 1
      this.#byKey.set(key, row)
    }
  }

  /** Reads what the sinks have. */
  async compared({ postgres: postgresUrl, store }: { readonly postgres: string; readonly store: string }): Promise<Books> {
    const sinks = [
      this.#compare('postgres', await tableRows(postgresUrl)),
      this.#compare('offers.jsonl', lines(join(this.#folder, 'offers.jsonl')).map(jsonRow)),
      this.#compare('offers.csv', lines(join(this.#folder, 'offers.csv')).slice(1).map(csvRow)),
      this.#compare('webhook', this.#posted),
      // Nothing changes here: each offer is new, once.
      this.#compare(
        'changes.jsonl',
        lines(join(this.#folder, 'changes.jsonl')).map((line) => this.#changeRow(line)),
      ),
    ]
    const reader = await (store.startsWith('postgres') ? openPostgresReader(store) : openReader(store))
    const { items, rejects = 0 } = await reader.counts()
    await reader.close()
    const wrong = [
      ...sinks.flatMap((book) => faultsOf(book, book.sink !== 'webhook')),
      ...(items === this.#expected.size ? [] : [`the store has ${String(items)} items`]),
      ...(rejects === this.#refused ? [] : [`the store has ${String(rejects)} rejects, of ${String(this.#refused)}`]),
      ...(this.#ambiguous === 0 ? [] : [`${String(this.#ambiguous)} keys came with different items`]),
      ...(this.#byKey.size === this.#expected.size ? [] : [`${String(this.#byKey.size)} keys came by webhook`]),
    ]
    return { expected: this.#expected.size, refused: { expected: this.#refused, has: rejects }, sinks, wrong }
  }

  #changeRow(line: string): string {
    const { kind, key, after } = JSON.parse(line) as ItemChange
    const row = this.#byId.get(key)
    return kind === 'new' && row !== undefined && row.price === after?.['price'] ? rowOf(row) : line
  }

  #compare(sink: string, rows: readonly string[]): SinkBook {
    const there = new Set(rows)
    const missing = [...this.#expected].filter((row) => !there.has(row)).length
    const foreign = [...there].filter((row) => !this.#expected.has(row)).length
    return { sink, has: rows.length, missing, twice: rows.length - there.size, foreign }
  }
}

function faultsOf({ sink, missing, twice, foreign }: SinkBook, isOnce: boolean): string[] {
  return [
    ...(missing > 0 ? [`${sink} lacks ${String(missing)}`] : []),
    ...(foreign > 0 ? [`${sink} has ${String(foreign)} that no shop has`] : []),
    ...(isOnce && twice > 0 ? [`${sink} has ${String(twice)} twice`] : []),
  ]
}

/** One text for one offer, whatever the sink. */
function rowOf({ id, name, price }: Offer): string {
  return JSON.stringify([id, name, price])
}

async function tableRows(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<Offer>('SELECT id, name, price FROM offers')
  await client.end()
  return rows.map(rowOf)
}

/** Throws for a last line without an end: it was cut off. */
function lines(path: string): string[] {
  const all = readFileSync(path, 'utf8').split('\n')
  if (all.pop() !== '') throw new Error(`expected ${path} to end with a line end`)
  return all
}

function jsonRow(line: string): string {
  return rowOf(JSON.parse(line) as Offer)
}

/** A name that a spreadsheet would take for a formula has an apostrophe in front: what is there must be what `guardedCell` makes of a name. */
function csvRow(line: string): string {
  const [id = '', cell = '', price = ''] = firstCsvRecord(line) ?? []
  const name = cell.startsWith("'") && guardedCell(cell.slice(1)) === cell ? cell.slice(1) : cell
  return rowOf({ id, name, price: Number(price) })
}
