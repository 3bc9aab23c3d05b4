// Kept pages of a crawl that its replay has not met: a list shows other pages today, or the page that led there is not kept.
//
// They are given to the replay as the store knows them, those fewest links from a seed first, and never two depths at once: what a page links to today wins
// over what the store knows of it, for the handler and the data of the link are newer. So the next ones are wanted once everything before them is settled. One
// that the replay has met for another handler is not given to it if it follows that one (followed-handlers.ts). The order is a table in a file of SQLite's own,
// so that it takes no memory, however large the store is.
import type { Fingerprint, NewRequest } from '@avocet/core/store'
import type { KeptResponses } from '../cache/kept-responses.ts'
import { connectReader } from '../file/connect-reader.ts'
import type { Database, Statement } from '../file/driver.ts'
import { storeError } from '../file/store-error.ts'
import { fingerprintFor } from '../queue/asked-row.ts'
import { SETTLED_ANEW } from './adopted-pages.ts'
import { LINK_COLUMNS, linksOf, storedLink, type LinkRow } from './stored-links.ts'

/** What they are told by. */
export interface Replayed {
  /** Which of these the replay has met. */
  known(fingerprints: readonly Fingerprint[]): Promise<readonly Fingerprint[]>
  /** Whether it belongs to the crawl today. */
  isInScope(request: Pick<NewRequest, 'url' | 'hostKey' | 'depth'>): boolean
}

/** Those of one store. */
export interface UnreachedPages {
  /** The next ones, at most 500; none where there are no more. To be called once all that was given before is settled in the replay. */
  next(replayed: Replayed): Promise<readonly NewRequest[]>
  close(): void
}

/** Rows in one step. */
const AT_ONCE = 500

const ORDER = `CREATE TEMP TABLE in_turn (depth INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (depth, id)) WITHOUT ROWID`
const FILL = `INSERT INTO temp.in_turn SELECT r.depth, r.id FROM main.request r JOIN main.handler w ON w.id = r.handler
  LEFT JOIN main.attempt b ON b.id = r.id LEFT JOIN main.trouble u ON u.id = r.id
  WHERE w.word IN (SELECT value FROM json_each(?)) AND ${SETTLED_ANEW}`
const NEXT = `SELECT ${LINK_COLUMNS} FROM ${linksOf('main', 'temp.in_turn o CROSS JOIN main.request r ON r.id = o.id')}
  WHERE (o.depth, o.id) > (?, ?) ORDER BY o.depth, o.id LIMIT ${AT_ONCE}`
const FINGERPRINTS = `CREATE TEMP TABLE of_store (fingerprint BLOB PRIMARY KEY) WITHOUT ROWID;
  INSERT INTO temp.of_store SELECT fingerprint FROM main.request;`

/**
 * Those of the store at `path`, which is read only, that `kept` has and that have one of these handlers. Nobody may write to the store meanwhile.
 *
 * Throws AVO_FRONTIER_… for a store that cannot be read.
 */
export async function openUnreached(
  path: string,
  { kept, handlers }: { readonly kept: KeptResponses; readonly handlers: readonly string[] },
): Promise<UnreachedPages> {
  const db = await connectReader(path)
  const pages = new PagesInTurn(db, kept, handlers)
  return {
    next: (replayed) =>
      pages.next(replayed).catch((thrown: unknown) => {
        throw storeError(thrown, path)
      }),
    close: () => db.close(),
  }
}

class PagesInTurn {
  readonly #db: Database
  readonly #kept: KeptResponses
  readonly #handlers: readonly string[]
  #rows: Statement<LinkRow> | undefined
  #isOfStore: Statement<number> | undefined
  #after: Pick<LinkRow, 'depth' | 'id'> = { depth: -1, id: 0 }

  constructor(db: Database, kept: KeptResponses, handlers: readonly string[]) {
    this.#db = db
    this.#kept = kept
    this.#handlers = handlers
  }

  async next(replayed: Replayed): Promise<readonly NewRequest[]> {
    for (let rows = this.#turn(); rows.length > 0; rows = this.#turn()) {
      const wanted = rows.filter((row) => this.#isWanted(storedLink(row), replayed))
      const unmet = await this.#unmet(wanted, replayed)
      if (unmet.length > 0) return unmet.map(storedLink)
    }
    return []
  }

  /** Rows of one depth. */
  #turn(): readonly LinkRow[] {
    const rows = (this.#rows ??= this.#prepared()).all(this.#after.depth, this.#after.id)
    const turn = rows.filter(({ depth }) => depth === rows[0]?.depth)
    this.#after = turn.at(-1) ?? this.#after
    return turn
  }

  #prepared(): Statement<LinkRow> {
    this.#db.exec(ORDER)
    this.#db.prepare(FILL).run(JSON.stringify(this.#handlers))
    return this.#db.prepare<unknown[], LinkRow>(NEXT)
  }

  #isWanted(request: NewRequest, { isInScope }: Replayed): boolean {
    const { method = 'GET', url, body, identity, headersJson = '{}' } = request
    if (!isInScope(request)) return false
    const headers = JSON.parse(headersJson) as Readonly<Record<string, string>>
    return this.#kept.has({
      method,
      url,
      headers,
      ...(body !== undefined && { body }),
      ...(identity !== undefined && { identity }),
    })
  }

  /** Those that the replay has met neither for their own handler nor for one that they follow. */
  async #unmet(rows: readonly LinkRow[], { known }: Replayed): Promise<readonly LinkRow[]> {
    const met = new Set(await known(rows.map(fingerprintOf)))
    const left = rows.filter((row) => !met.has(fingerprintOf(row))).map((row) => ({ row, others: this.#othersOf(row) }))
    const elsewhere = new Set(await known(left.flatMap(({ others }) => others)))
    return left
      .filter(({ others }) => !others.some((other) => elsewhere.has(other) && !this.#hasStored(other)))
      .map(({ row }) => row)
  }

  /** Of the same page for the other handlers of today. */
  #othersOf(row: LinkRow): Fingerprint[] {
    return this.#handlers.filter((handler) => handler !== row.handler).map((handler) => fingerprintFor(row, handler))
  }

  /** What the store has for that handler as well does not follow it. Seldom asked: only of a page that goes to another handler today. */
  #hasStored(fingerprint: Fingerprint): boolean {
    if (this.#isOfStore === undefined) {
      this.#db.exec(FINGERPRINTS)
      this.#isOfStore = this.#db.prepare<unknown[], number>('SELECT 1 FROM temp.of_store WHERE fingerprint = ?').pluck()
    }
    return this.#isOfStore.get(Buffer.from(fingerprint, 'latin1')) !== undefined
  }
}

function fingerprintOf({ fingerprint }: LinkRow): Fingerprint {
  return fingerprint.toString('latin1') as Fingerprint
}
