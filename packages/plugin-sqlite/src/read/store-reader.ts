// The read side of the store, on the frontier's own connection or on one of its own beside a crawl that goes on. Statements are prepared when they are asked:
// who reads a store at rest asks a few of them, and seldom.
import type { Clock, FrontierReader } from '@avocet/core/store'
import { sqlReader, type SqlDialect } from '@avocet/store-sql'
import type { Database } from '../file/driver.ts'
import { storeError } from '../file/store-error.ts'
import type { ProcessTable } from '../process/process-table.ts'

/** Mean bytes of some rows of a table: of the newest, by number. */
const mean = (bytes: string, table: string, perRow: number): string =>
  `(SELECT coalesce(avg(${bytes}) + ${perRow}, 0) FROM (SELECT * FROM {S}.${table} ORDER BY rowid DESC LIMIT 200))`

/** `octet_length` reads no long text. Per row: what its record and its index entry have beside. */
const SIZES = `SELECT (p.page_count - f.freelist_count) * s.page_size AS used, f.freelist_count * s.page_size AS free,
  (SELECT items - items_gone FROM {S}.crawl) * ${mean('octet_length(json)', 'item', 36)} AS items,
  ((SELECT coalesce(max(seq), 0) FROM {S}.change) - (SELECT changes_gone FROM {S}.crawl)) * ${mean('2 * octet_length(key) + octet_length(concat(before, after))', 'change', 44)} AS changes,
  (SELECT coalesce(max(rowid), 0) FROM {S}.host_memory) * ${mean('octet_length(json)', 'host_memory', 24)} AS memory
  FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s`

/** With its `+`, so that a look-up is one by id also where its table could be read first. */
const DIALECT: SqlDialect = {
  one: (table, alias, id) => `LEFT JOIN {S}.${table} ${alias} ON ${alias}.id = +${id}`,
  word: (word) => word,
  // There is no index by URL or by host: these questions read the rows of requests once (about 0.4 s for a million).
  spelt: (path, url) => `(SELECT id FROM {S}.request WHERE path IN (${path}, ${url}))`,
  waitingAt: () => '{S}.request',
  totals: '{S}.crawl',
  reasons: '{S}.reason',
  yields: (table, order) => ({ from: `{S}.${table} i`, after: 'i.seq > $1', order: `i.seq ${order}` }),
  seq: 'i.seq',
  numbering: '',
  // A sink asks for these after each batch: a search in the index of those alone, so that it costs nothing however many rejects there are.
  behind: `CASE WHEN json_extract(s.record, '$.changes') THEN (SELECT count(*) FROM {S}.change WHERE seq > s.item_seq)
    ELSE (SELECT count(*) FROM {S}.item WHERE seq > s.item_seq) END`,
  sizes: SIZES,
  memory: (parts, value) => {
    const which = parts === undefined ? '' : `AND m.part IN (${parts.map(value).join(', ')})`
    return `LEFT JOIN {S}.host_memory m ON m.host = h.id ${which}`
  },
  unpacked: ({ part, json }) => ({ [part]: json }),
}

/** What is read. */
export interface Readable {
  readonly db: Pick<Database, 'prepare'>
  readonly processes: ProcessTable
}

/** Reads a store; `readable` throws while it is closed. */
export function storeReader(readable: () => Readable, path: string, clock: Clock): FrontierReader {
  const read = async <Answer>(ask: (open: Readable) => Answer): Promise<Answer> => {
    try {
      return ask(readable())
    } catch (thrown) {
      throw storeError(thrown, path)
    }
  }
  const all = <Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> =>
    read(({ db }) => {
      const statement = db.prepare<unknown[], Row>(text.replaceAll('{S}', 'main'))
      return values.length === 0 ? statement.all() : statement.all(Object.fromEntries(values.map((value, n) => [n + 1, value])))
    })
  return sqlReader({
    ...DIALECT,
    all,
    number: () => Promise.resolve(),
    alive: () => read(({ processes }) => processes.others(clock.monotonic()).alive),
    async processes() {
      const held = await all<{ owner: number; hosts: number }>(
        'SELECT owner, count(*) AS hosts FROM {S}.host WHERE owner IS NOT NULL GROUP BY owner',
      )
      const hosts = new Map(held.map((row) => [row.owner, row.hosts]))
      return read(({ processes }) => processes.living(clock.monotonic(), (id) => hosts.get(id) ?? 0))
    },
  })
}
