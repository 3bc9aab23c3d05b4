// Words that come again and again (handlers, reasons), stored once and named by a small number. Ids never change; other processes add to them.
import type { ServerConnections } from '../connection/connections.ts'
import { textsText, storableText } from '../connection/storable-text.ts'
import { hash } from 'node:crypto'

/** Kept of each table: handlers and reasons are dozens, unless a plugin puts URLs into its reasons. */
const MAX_KEPT = 4_096

/** The words of one table. */
export class WordIds {
  readonly #connections: ServerConnections
  readonly #table: 'handler' | 'reason'
  readonly #ids = new Map<string, number>()
  readonly #words = new Map<number, string>()
  /** How often all were forgotten: an answer that was asked for before may be of another store. */
  #forgotten = 0

  constructor(connections: ServerConnections, table: 'handler' | 'reason') {
    this.#connections = connections
    this.#table = table
  }

  /** Has ids for `words` at hand; those that are new are written, in a transaction of their own. */
  async learn(words: Iterable<string>): Promise<void> {
    const all = [...new Set([...words].map(storedWord))]
    if (this.#ids.size + all.length > MAX_KEPT) this.clear()
    const unmet = all.filter((word) => !this.#ids.has(word))
    if (unmet.length === 0) return
    const forgotten = this.#forgotten
    const ids = await this.#connections.call<readonly number[]>('word_ids', [this.#table, textsText(unmet)])
    if (forgotten === this.#forgotten) unmet.forEach((word, n) => this.#keep(ids[n] ?? 0, word))
  }

  /** Id of a word that was learned; 0 where it was not. */
  idOf(word: string): number {
    return this.#ids.get(storedWord(word)) ?? 0
  }

  /** Has the words of `ids` at hand. */
  async read(ids: Iterable<number>): Promise<void> {
    const unmet = [...new Set(ids)].filter((id) => !this.#words.has(id))
    if (unmet.length === 0) return
    const forgotten = this.#forgotten
    const rows = await this.#connections.all<{ id: number; word: string }>(
      `SELECT id, word FROM {S}.${this.#table} WHERE id = ANY ($1::int[])`,
      [`{${unmet.join(',')}}`],
    )
    if (forgotten === this.#forgotten) for (const { id, word } of rows) this.#keep(id, word)
  }

  wordOf(id: number): string {
    return this.#words.get(id) ?? ''
  }

  clear(): void {
    this.#forgotten++
    this.#ids.clear()
    this.#words.clear()
  }

  #keep(id: number, word: string): void {
    this.#ids.set(word, id)
    this.#words.set(id, word)
  }
}

// Texts that are found by an index (reasons, kinds of errors, parts of memories, names of sinks): PostgreSQL has none of more than 2,704 bytes there.
//
// One that is longer is its beginning, and a hash of the whole that tells it from others; whoever looks for it asks for the same.

/** With the group of a reject beside it, of up to 600 bytes, it fits into an index. */
export const MOST_WORD_BYTES = 2_000
/** In UTF-8 none is longer than 3 bytes. */
const MOST_BYTES_EACH = 3
const SHOWN = 500

/** The word as it is stored. */
export function storedWord(word: string): string {
  const text = storableText(word)
  if (!isTooLong(text)) return text
  return `${text.slice(0, SHOWN).toWellFormed()}… ${hash('sha256', text).slice(0, 32)}`
}

/** Whether an index cannot have it. */
export function isTooLong(text: string): boolean {
  return text.length * MOST_BYTES_EACH > MOST_WORD_BYTES && Buffer.byteLength(text) > MOST_WORD_BYTES
}
