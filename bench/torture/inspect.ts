// Looks at what a life left behind: the store by its own rules and by those of the torture, the outputs against the marks, the log against politeness.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { verifyStore } from '@avocet/plugin-sqlite'
import Database from 'better-sqlite3'
import { DELAY_MS } from './rules.ts'

/** Each must find nothing. */
const RULES: Readonly<Record<string, string>> = {
  'a held host has an owner': 'SELECT 1 FROM host WHERE owner IS NOT NULL AND owner NOT IN (SELECT id FROM process)',
  'items have no gap': 'SELECT 1 WHERE (SELECT count(*) <> coalesce(max(seq), 0) FROM item)',
  'the page that links to one is known':
    'SELECT 1 FROM request r WHERE parent IS NOT NULL AND NOT EXISTS (SELECT 1 FROM request p WHERE p.id = r.parent)',
  'a page that was done has its items, or its record':
    "SELECT 1 FROM attempt a JOIN request r ON r.id = a.id WHERE a.state = 1 AND r.path NOT LIKE '%robots%' AND NOT EXISTS (SELECT 1 FROM item i WHERE i.request = a.id UNION ALL SELECT 1 FROM record d WHERE d.request = a.id)",
  'a mark is of items that are there': 'SELECT 1 FROM sink WHERE item_seq > (SELECT coalesce(max(seq), 0) FROM item)',
}

/** What is wrong with the store of a job in `folder`, whose process is gone; nothing when there is none yet. Changes nothing there. */
export async function faultsIn(folder: string, { pages }: { readonly pages: boolean }): Promise<string[]> {
  const path = join(folder, 'store', 'crawl.db')
  if (!existsSync(path) || statSync(path).size === 0) return []
  const copies = join(folder, 'copies')
  rmSync(copies, { recursive: true, force: true })
  // Of what a kill leaves, only the index of the WAL may be missing: it is not copied, so that it is made anew here.
  cpSync(join(folder, 'store'), copies, { recursive: true, filter: (name) => !name.endsWith('-shm') })
  const copy = join(copies, 'crawl.db')
  if (isBlank(copy)) return []
  const { faults } = await verifyStore(copy)
  const found = faults.map(({ message }) => message)
  const db = new Database(copy)
  try {
    if (pages) for (const [rule, query] of Object.entries(RULES)) if (db.prepare(query).get() !== undefined) found.push(rule)
    if ((db.pragma('foreign_key_check') as unknown[]).length > 0) found.push('foreign keys')
    if (pages) found.push(...outputFaults(folder, db))
  } finally {
    db.close()
  }
  return found
}

/** Its maker died before it had written anything. */
function isBlank(path: string): boolean {
  const db = new Database(path)
  try {
    return db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0
  } finally {
    db.close()
  }
}

interface Mark {
  readonly target: string
  readonly item_seq: number
  readonly bytes: number
}

/** What stands before a mark is exactly the items up to it. */
function outputFaults(folder: string, db: Database.Database): string[] {
  const marks = db
    .prepare(
      "SELECT name AS target, item_seq, json_extract(record, '$.mark.state.bytes') AS bytes FROM sink WHERE record IS NOT NULL",
    )
    .all() as Mark[]
  return marks.flatMap(({ target, item_seq, bytes }) => {
    const path = join(folder, 'store', target)
    const text = existsSync(path) ? readFileSync(path).subarray(0, bytes).toString() : ''
    const items = db.prepare('SELECT json FROM item WHERE seq <= ? ORDER BY seq').pluck().all(item_seq) as string[]
    const lines = target.endsWith('.csv') ? csvOf(items) : items
    return text === lines.map((line) => `${line}\n`).join('') ? [] : [`${target} does not hold the items up to its mark`]
  })
}

/** Items of the tortured spider, which need no quotes. */
function csvOf(items: readonly string[]): readonly string[] {
  const rows = items.map((json) => Object.values(JSON.parse(json) as Readonly<Record<string, unknown>>).join(','))
  return rows.length === 0 ? [] : ['url,visit', ...rows]
}

/** Items of a page of the tortured spider: handler `third` yields two. The note has a record instead. */
const HANDLER = '(SELECT word FROM handler WHERE id = r.handler)'
const ITEMS_OF_A_VISIT = `iif(${HANDLER} = 'third', 2, iif(${HANDLER} = 'stations/note', 0, 1))`

/** Of pages that are visited once more in each life: each visit has its items, each of them once, and the outputs have no more and no fewer. */
export function itemFaults(folder: string): string[] {
  const db = new Database(join(folder, 'store', 'crawl.db'), { readonly: true })
  try {
    const count = (query: string): number => db.prepare<unknown[], number>(query).pluck().get() ?? 0
    const items = count('SELECT count(*) FROM item')
    const visited = 'FROM request r JOIN attempt a ON a.id = r.id AND a.state = 1 LEFT JOIN visited v ON v.id = r.id'
    const expected = count(`SELECT sum(coalesce(v.visits, 1) * ${ITEMS_OF_A_VISIT}) ${visited}`)
    const torn = count(
      `SELECT count(*) FROM (SELECT 1 FROM item i JOIN request r ON r.id = i.request GROUP BY i.request, i.visit HAVING count(*) <> ${ITEMS_OF_A_VISIT})`,
    )
    const records = count('SELECT count(*) FROM record')
    const noted = count(`SELECT coalesce(sum(coalesce(v.visits, 1)), 0) ${visited} WHERE ${HANDLER} = 'stations/note'`)
    const lines = readFileSync(join(folder, 'items.jsonl'), 'utf8').split('\n').length - 1
    return [
      ...(items === expected ? [] : [`has ${String(items)} items of visits that have ${String(expected)}`]),
      ...(records === noted ? [] : [`has ${String(records)} records of ${String(noted)} visits of the note`]),
      ...(torn === 0 ? [] : [`has more or fewer items than a page yields for ${String(torn)} visits`]),
      ...(lines === items ? [] : [`wrote ${String(lines)} lines of ${String(items)} items`]),
    ]
  } finally {
    db.close()
  }
}

/** What must be the same however often a crawl was killed: pages and what became of them, items, lines of the outputs; `visits`: and how often, and in which. */
export function dumpOf(folder: string, { visits }: { readonly visits: boolean }): readonly string[] {
  const [ofPage, ofItem] = visits ? ["' ' || coalesce(v.visits, 1)", "' ' || visit"] : ["''", "''"]
  const db = new Database(join(folder, 'store', 'crawl.db'), { readonly: true })
  try {
    const rows = db
      .prepare(
        `SELECT h.key || ' ' || r.path || ' ' || coalesce(a.state, 0) || ' ' || coalesce(w.word, '') || ' ' || coalesce(t.target, '') || ${ofPage}
         FROM request r JOIN host h ON h.id = r.host LEFT JOIN attempt a ON a.id = r.id LEFT JOIN trouble t ON t.id = r.id
         LEFT JOIN reason w ON w.id = t.reason LEFT JOIN visited v ON v.id = r.id`,
      )
      .pluck()
      .all() as string[]
    const items = db.prepare(`SELECT 'item ' || json || ${ofItem} || ' ' || ordinal FROM item`).pluck().all() as string[]
    const rejects = db
      .prepare(
        `SELECT 'reject ' || source || ' ' || coalesce(json, '') || ' ' || reason || ${ofItem} || ' ' || ordinal FROM reject`,
      )
      .pluck()
      .all() as string[]
    const records = db.prepare(`SELECT 'record ' || json || ${ofItem} || ' ' || ordinal FROM record`).pluck().all() as string[]
    const changes = db
      .prepare(`SELECT 'change ' || kind || ' ' || key || ' ' || coalesce(after, '') || ${ofItem} FROM change`)
      .pluck()
      .all() as string[]
    const outputs = readdirSync(folder).filter((name) => name.startsWith('items.'))
    const lines = outputs.flatMap((name) =>
      readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .map((line) => `${name} ${line}`),
    )
    return [...rows, ...items, ...rejects, ...records, ...changes, ...lines].toSorted()
  } finally {
    db.close()
  }
}

interface Asked {
  readonly at: number
  readonly life: string
  readonly url: string
}

/** What the servers felt: no page more than once a life and retry, no two requests of a host closer than the delay, over kills, too. */
export function complaintsOf(
  folder: string,
  { mostAsks, rewound }: { readonly mostAsks: number; readonly rewound: boolean },
): string[] {
  const path = join(folder, 'requests.jsonl')
  const asked = !existsSync(path)
    ? []
    : readFileSync(path, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Asked)
  const complaints: string[] = []
  const times = new Map<string, number>()
  const lastAt = new Map<string, number>()
  for (const { at, life, url } of asked) {
    const { host } = new URL(url)
    const asks = (times.get(url) ?? 0) + 1
    times.set(url, asks)
    if (asks === mostAsks + 1) complaints.push(`${url} was asked for more than ${String(mostAsks)} times`)
    const gapMs = at - (lastAt.get(host) ?? -Infinity)
    if (!rewound && gapMs < DELAY_MS)
      complaints.push(`${host} was asked ${gapMs.toFixed(0)} ms after it was asked before, in life ${life}`)
    lastAt.set(host, at)
  }
  return complaints
}

/** Requests that the dead process had in progress: three deaths with a page in progress make it poison, and rightly so. */
export function inProgress(folder: string): readonly number[] {
  const store = join(folder, 'store')
  if (!existsSync(store)) return []
  const files = readdirSync(store).filter((name) => /-in-progress-\d+$/.test(name))
  return files.flatMap((name) => {
    const bytes = readFileSync(join(store, name))
    const count = bytes.length < 8 ? 0 : bytes.readDoubleLE(0)
    return Array.from({ length: count }, (_, n) => (bytes.length >= 16 + 8 * n ? bytes.readDoubleLE(8 + 8 * n) : 0))
  })
}
