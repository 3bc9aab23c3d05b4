// Whether a URL is known: asked of those that the crawl has not met since its start.
//
// Truth is the fingerprint in its row. To find the row there are two levels, as in a log-structured merge tree (O'Neil et al. 1996): the big
// B-tree `known`, keyed by the first 48 bits, and the tail, the newest rows, in RAM only. Random inserts into a big B-tree touch a page
// each; so when the tail has 32,768 rows it is merged in key order, in 128 slices of the key range, a few in each transaction that added
// rows: each leaf is touched once, and no merge blocks the loop. The tail is read again from its rows when a store is opened.
// A slice that was merged twice, by a crash or by two processes, changes nothing. Two fingerprints with the same 48 bits (2 in 10^8 URLs)
// take neighbouring keys; every answer is checked against all 128 bits.
import type { Fingerprint } from '@avocet/core/store'
import { BulkInsert } from '../file/bulk-insert.ts'
import type { Database, Statement } from '../file/driver.ts'
import { FingerprintTail } from './fingerprint-tail.ts'

/** Rows read at once when the tail is built. */
const ROWS_AT_ONCE = 4_096
const MERGE_ROWS = 32_768
/** A merge takes no more, so that an entry's number fits in 16 bits. */
const MAX_MERGE_ROWS = 65_536
/** Keys asked at once. */
const KEYS_AT_ONCE = 16
const SLICES = 128
const SLICE_WIDTH = 2 ** 32 / SLICES
/** Rows merged for each row added, so that a merge ends long before the next is due. */
const MERGED_PER_ADDED = 3

/** How far the index goes, as the store has it. */
export interface IndexState {
  readonly known: number
  readonly indexed_up_to: number
  readonly merging_up_to: number
  readonly merging_slice: number
}

/** The identity index of one connection. */
export class IdentityIndex {
  readonly #tail: FingerprintTail
  readonly #words: Uint32Array = new Uint32Array(4)
  readonly #find: Statement<number>
  readonly #takenOf: Statement<number>
  readonly #inserts: BulkInsert
  /** Bound again and again: SQLite copies it. */
  readonly #bytes: Buffer = Buffer.alloc(16)
  readonly #insert: Statement
  readonly #idAt: Statement<number>
  readonly #rows: Statement<string | null>
  readonly #saveState: Statement

  constructor(db: Database) {
    this.#find = db
      .prepare<unknown[], number>(
        'SELECT (SELECT r.fingerprint = ? FROM request r WHERE r.id = k.id) FROM known k WHERE k.key = ?',
      )
      .pluck()
    const places = Array.from({ length: KEYS_AT_ONCE }, () => '+?').join(', ')
    this.#takenOf = db.prepare<unknown[], number>(`SELECT key FROM known WHERE key IN (${places})`).pluck()
    this.#inserts = new BulkInsert(db, { into: 'known (key, id)', row: '(?, ?)' }, ([key, id]) =>
      this.#insertBeside(Number(key), Number(id)),
    )
    this.#insert = db.prepare('INSERT INTO known (key, id) VALUES (?, ?) ON CONFLICT DO NOTHING')
    this.#idAt = db.prepare<unknown[], number>('SELECT id FROM known WHERE key = ?').pluck()
    this.#rows = db
      .prepare<unknown[], string>("SELECT group_concat(hex(fingerprint), '' ORDER BY id) FROM request WHERE id > +? AND id <= +?")
      .pluck()
    this.#saveState = db.prepare('UPDATE crawl SET indexed_up_to = ?, merging_up_to = ?, merging_slice = ?')
    this.#tail = new FingerprintTail(0)
  }

  /** Whether RAM knows that the store has it. Call `refresh` first in each transaction. */
  isAtHand(fingerprint: Fingerprint): boolean {
    return this.#tail.has(readWords(fingerprint, this.#words))
  }

  /** Id of the row that has it; undefined where the store has none. Call `refresh` first in each transaction. */
  idOf(fingerprint: Fingerprint): number | undefined {
    const words = readWords(fingerprint, this.#words)
    const newest = this.#tail.idOf(words)
    if (newest !== undefined) return newest
    this.#bytes.write(fingerprint, 'latin1')
    for (let key = keyOf(words); ; key++) {
      const id = this.#idAt.get(key)
      if (id === undefined) return undefined
      if (this.#find.get(this.#bytes, key) === 1) return id
    }
  }

  /** Which of `fingerprints`, none of them at hand, the store has. Asked in the order of the index, sixteen at a time. */
  ask(fingerprints: readonly Fingerprint[]): Fingerprint[] {
    // All rows are in the tail.
    if (this.#tail.base === 0) return []
    const keys = Float64Array.from(fingerprints, (fingerprint) => keyOf(readWords(fingerprint, this.#words))).sort()
    const taken = new Set<number>()
    let at = 0
    for (; at + KEYS_AT_ONCE <= keys.length; at += KEYS_AT_ONCE) {
      for (const key of this.#takenOf.all(...keys.subarray(at, at + KEYS_AT_ONCE))) taken.add(key)
    }
    for (; at < keys.length; at++) if (this.#idAt.get(keys[at]) !== undefined) taken.add(keys[at] ?? 0)
    return taken.size === 0 ? [] : fingerprints.filter((fingerprint) => this.#isStored(fingerprint, taken))
  }

  /** Learns of rows that other processes added and of what they merged. */
  refresh({ known, indexed_up_to }: IndexState): void {
    if (indexed_up_to > this.#tail.base) this.#forget(indexed_up_to)
    while (this.#tail.lastId < known) this.#read(Math.min(known, this.#tail.lastId + ROWS_AT_ONCE))
  }

  /** Call once rows with these fingerprints, in id order, are committed. */
  added(fingerprints: readonly Fingerprint[]): void {
    for (const fingerprint of fingerprints) this.#tail.append(readWords(fingerprint, this.#words))
  }

  /** Moves some of the tail into the store's index, inside a transaction that adds `rows` rows. */
  merge(state: IndexState, rows: number): void {
    const { indexed_up_to, merging_slice } = state
    let { merging_up_to } = state
    if (merging_up_to === 0) {
      if (this.#tail.length < MERGE_ROWS) return
      merging_up_to = Math.min(this.#tail.lastId, this.#tail.base + MAX_MERGE_ROWS)
    }
    const perSlice = (merging_up_to - indexed_up_to) / SLICES
    const end = Math.min(SLICES, merging_slice + Math.ceil((rows * MERGED_PER_ADDED) / perSlice))
    this.#mergeSlices({ from: merging_slice, end }, merging_up_to)
    if (end === SLICES) this.#saveState.run(merging_up_to, 0, 0)
    else this.#saveState.run(indexed_up_to, merging_up_to, end)
  }

  /** A taken key is no proof: all 128 bits are. */
  #isStored(fingerprint: Fingerprint, taken: ReadonlySet<number>): boolean {
    const words = readWords(fingerprint, this.#words)
    let key = keyOf(words)
    if (!taken.has(key)) return false
    this.#bytes.write(fingerprint, 'latin1')
    let isIt = this.#find.get(this.#bytes, key)
    while (isIt === 0) isIt = this.#find.get(this.#bytes, ++key)
    return isIt === 1
  }

  /** Reads rows into the tail: many at once as one text of hexadecimal digits, for each blob would cost more than its row. */
  #read(lastId: number): void {
    const rows = Buffer.from(this.#rows.get(this.#tail.lastId, lastId) ?? '', 'hex')
    if (rows.length !== 16 * (lastId - this.#tail.lastId))
      throw Object.assign(new Error('rows are missing'), { code: 'SQLITE_CORRUPT' })
    for (let at = 0; at < rows.length; at += 16) {
      for (let word = 0; word < 4; word++) this.#words[word] = rows.readUInt32BE(at + 4 * word)
      this.#tail.append(this.#words)
    }
  }

  #mergeSlices({ from, end }: { from: number; end: number }, upTo: number): void {
    const tail = this.#tail
    // Of a transaction that came to nothing.
    this.#inserts.clear()
    // The first 37 bits of the key and the entry in one number, so that the native sort of numbers can be used.
    const packed = tail
      .entriesWithin(from * SLICE_WIDTH, end * SLICE_WIDTH, upTo)
      .map((entry) => packOf(keyOf(tail.wordsOf(entry)), entry))
    for (const pack of Float64Array.from(packed).sort()) {
      const entry = pack % MAX_MERGE_ROWS
      this.#inserts.add([keyOf(tail.wordsOf(entry)), tail.base + 1 + entry])
    }
    this.#inserts.flush()
  }

  /** The key is taken: by this very row, when its slice was merged before; by another with the same 48 bits, or then the next key is free. */
  #insertBeside(key: number, id: number): void {
    while (this.#idAt.get(key) !== id && this.#insert.run(key, id).changes === 0) key++
  }

  /** Rows that have been indexed leave the tail. */
  #forget(indexedUpTo: number): void {
    const tail = this.#tail
    if (indexedUpTo > tail.lastId) tail.dropUpTo(tail.lastId)
    tail.dropUpTo(indexedUpTo)
    tail.base = indexedUpTo
  }
}

/** First 48 bits: an integer that costs 7 bytes as an SQLite rowid. */
function keyOf(words: Uint32Array): number {
  return (words[0] ?? 0) * 0x1_0000 + ((words[1] ?? 0) >>> 16)
}

function packOf(key: number, entry: number): number {
  return Math.floor(key / 2 ** 11) * MAX_MERGE_ROWS + entry
}

/** The fingerprint's 16 bytes as four words, in `into`: no allocation on the hot path. */
function readWords(fingerprint: string, into: Uint32Array): Uint32Array {
  for (let word = 0, at = 0; word < 4; word++, at += 4) {
    into[word] =
      (fingerprint.charCodeAt(at) << 24) |
      (fingerprint.charCodeAt(at + 1) << 16) |
      (fingerprint.charCodeAt(at + 2) << 8) |
      fingerprint.charCodeAt(at + 3)
  }
  return into
}
