// Writes batches to one table over one connection: a batch becomes rows, or is refused item by item.
//
// A batch is one transaction: it moves the mark, which is the fence, and inserts the rows with one statement. If the database objects to a row, the
// transaction begins anew and is halved until the bad items are found. They are reported and nothing is written: the others come again. Alternative
// rejected: a staging table, which needs rights of its own and writes everything twice.
import { ItemsRefused, SinkDown, type SinkBatch, type SinkMark, type SinkSession, type SinkItem } from '@avocet/core/sink'
import { isSource, quoted, type SOURCES } from './identifiers.ts'
import { forgetMark, makeMarks, moveMark, newOfLate, readMark, type KeptMark, type MarkKey } from './marks.ts'
import type { TableTarget } from './options.ts'
import { PostgresConnection } from './postgres-connection.ts'
import { PostgresError } from './postgres-error.ts'
import { parameterOf, partRows } from './rows.ts'
import { createStatement, findTable, inferColumns, qualifiedName, widenStatement } from './table.ts'
import type { NewColumns, Table, Column } from './table.ts'

const SOURCE_VALUES: Readonly<Record<keyof typeof SOURCES, string>> = {
  '@extra': 'w.x',
  '@item': 'w.i',
  '@key': 'w.k',
  '@time': 'statement_timestamp()',
  '@url': 'w.u',
}

/** Enough to know the fields of a spider, and few enough to rewrite for a wider type. */
const WIDENED_BY = 1_000

/** What a sink has between `open` and `close`. */
export class TableWriter {
  readonly #target: TableTarget
  readonly #name: string
  readonly #session: SinkSession
  #connection: PostgresConnection | undefined
  #key: MarkKey | undefined
  #table: Table | undefined
  /** So many items of a table that was made from the first ones may still widen it. */
  #widening = 0
  /** That a table was made: so it is once the transaction is committed. */
  #notice: string | undefined
  #seen: KeptMark = { itemSeq: 0, lateSeq: 0 }

  constructor(target: TableTarget, name: string, session: SinkSession) {
    this.#target = target
    this.#name = name
    this.#session = session
  }

  async open(): Promise<SinkMark> {
    const { signal } = this.#session
    const connection = await PostgresConnection.open(this.#target.url, signal)
    this.#connection = connection
    await connection.during(signal, () => this.#connected().transaction(this.#target.timeoutMs, () => this.#prepare(connection)))
    return { itemSeq: this.#seen.itemSeq }
  }

  async write(batch: SinkBatch<unknown>): Promise<void> {
    try {
      await this.#connected().during(batch.signal, () => this.#deliver(batch))
    } catch (error) {
      throw error instanceof PostgresError && error.isDown ? new SinkDown(error.message) : error
    }
    this.#seen = this.#after(batch)
    if (this.#notice !== undefined) this.#session.notice(this.#notice)
  }

  /** The mark once this batch is written. It never goes back. */
  #after({ items, mark }: SinkBatch<unknown>): KeptMark {
    const { itemSeq, lateSeq } = this.#seen
    const last = Math.max(0, ...items.map(({ seq }) => seq))
    return mark.itemSeq > itemSeq ? { itemSeq: mark.itemSeq, lateSeq } : { itemSeq, lateSeq: Math.max(lateSeq, last) }
  }

  async close(): Promise<void> {
    await this.#connection?.close()
  }

  /** Two processes may come at the same time: the lock lets one of them make the tables. It ends with the transaction. */
  async #prepare(connection: PostgresConnection): Promise<void> {
    await connection.query("SELECT pg_advisory_xact_lock(hashtext('avocet_sink'))")
    const [{ schema } = {}] = await connection.query('SELECT current_schema() AS schema')
    let table = await findTable(connection, this.#target)
    const home = table?.schema ?? this.#target.schema ?? schema
    if (typeof home !== 'string')
      throw new Error('expected a schema for the table, but the search_path has none; give the option schema')
    const place = { schema: home, name: this.#target.table }
    this.#key = { schema: place.schema, table: place.name, crawl: this.#session.crawl.id, sink: this.#name }
    if (this.#target.create) await makeMarks(connection, place.schema)
    if (table === undefined) {
      await forgetMark(connection, this.#key)
      table = await this.#made(place, this.#target.columns)
    }
    this.#table = table
    this.#seen = await readMark(connection, this.#key)
  }

  /** A table with these columns; undefined if they are not known yet. */
  async #made(place: Pick<Table, 'schema' | 'name'>, columns: NewColumns | undefined): Promise<Table | undefined> {
    if (!this.#target.create)
      throw new Error(`expected the table ${qualifiedName(place)}, which does not exist; make it, or leave out create: false`)
    if (columns === undefined) return undefined
    await this.#connected().query(createStatement(place, columns, this.#target))
    return findTable(this.#connected(), { ...this.#target, schema: place.schema })
  }

  async #deliver(batch: SinkBatch<unknown>): Promise<void> {
    try {
      await this.#connected().transaction(this.#target.timeoutMs, () => this.#insert(batch, false))
    } catch (error) {
      if (!(error instanceof PostgresError) || !error.mayBeItems) throw error
      await this.#connected().transaction(this.#target.timeoutMs, () => this.#insert(batch, true))
    }
  }

  /** `oneByOne`: the database refused one of the rows. */
  async #insert(batch: SinkBatch<unknown>, oneByOne: boolean): Promise<void> {
    const { connection, key } = this.#opened()
    this.#notice = undefined
    if (!(await moveMark(connection, key, { seen: this.#seen, to: this.#after(batch) })))
      throw new SinkDown(
        'expected the mark of this process in avocet_sink, but another process has written since; continuing from its mark',
      )
    const wanted = await this.#unwritten(batch)
    if (wanted.length === 0) return
    const table = await this.#tableFor(wanted)
    const rows = partRows(wanted, table, this.#target)
    if (rows.refused.size > 0) throw new ItemsRefused(rows.refused)
    const statement = insertStatement(table, this.#target.key)
    const insert = async (part: SinkBatch<unknown>['items']): Promise<void> => {
      await connection.query(statement, [parameterOf(part, table)])
    }
    if (!oneByOne) return insert(wanted)
    const refused = await writeAllBut(connection, wanted, insert)
    if (refused.size > 0) throw new ItemsRefused(refused)
  }

  /** Items that are not in the table. Those that the mark says nothing about are known by their keys. */
  async #unwritten({ items, mark }: SinkBatch<unknown>): Promise<SinkBatch<unknown>['items']> {
    const { connection, key } = this.#opened()
    const { itemSeq, lateSeq } = this.#seen
    const upTo = mark.itemSeq > itemSeq ? Math.max(itemSeq, lateSeq) : Infinity
    const late = items.filter(({ seq }) => seq <= upTo)
    if (late.length === 0) return items
    const fresh = new Set(await newOfLate(connection, key, late))
    return items.filter((item) => item.seq > upTo || fresh.has(item))
  }

  /** The table as it is, made for these items if there is none, read again if one of them does not fit: somebody may have added the column since. */
  async #tableFor(items: SinkBatch<unknown>['items']): Promise<Table> {
    const { connection, key } = this.#opened()
    const place = { schema: key.schema, name: key.table }
    if (this.#table !== undefined && partRows(items, this.#table, this.#target).refused.size === 0)
      return this.#widened(this.#table, items)
    const found = await findTable(connection, { ...this.#target, schema: key.schema })
    if (found !== undefined) return this.#widened((this.#table = found), items)
    const columns = inferColumns(items.map(({ value }) => value))
    const guessed = [...columns].map(([name, type]) => ({ name, type, ...(isSource(type) && { source: type }) }))
    const { refused } = partRows(items, { name: place.name, columns: guessed }, this.#target)
    if (refused.size > 0) throw new ItemsRefused(refused)
    const made = await this.#made(place, columns)
    if (made === undefined) throw new Error(`expected the table ${qualifiedName(place)} to be there after it was made`)
    const told = [...columns].map(([name, type]) => `${name} ${type === '@extra' ? 'jsonb' : type}`).join(', ')
    this.#notice = `made the table ${qualifiedName(place)} from the fields of its first items: ${told}`
    this.#widening = WIDENED_BY
    return made
  }

  /** A table that was made from the first items gets columns of the next ones as well: the first batch may be of one item. */
  async #widened(table: Table, items: SinkBatch<unknown>['items']): Promise<Table> {
    if (this.#widening <= 0) return table
    this.#widening -= items.length
    const statement = widenStatement(table, inferColumns(items.map(({ value }) => value)))
    if (statement === undefined) return table
    await this.#connected().query(statement)
    // Read again by the next batch: this transaction may yet be undone.
    this.#table = undefined
    return (await findTable(this.#connected(), { ...this.#target, schema: table.schema })) ?? table
  }

  #opened(): { readonly connection: PostgresConnection; readonly key: MarkKey } {
    if (this.#connection === undefined || this.#key === undefined)
      throw new Error('expected the sink to be opened before it writes')
    return { connection: this.#connection, key: this.#key }
  }

  #connected(): PostgresConnection {
    if (this.#connection === undefined) throw new Error('expected the sink to be opened before it writes')
    return this.#connection
  }
}

/** A batch of bad items takes two statements for each. Beyond this, those that were found are reported, and the rest comes again. */
const MAX_STATEMENTS = 1_000

type Item = SinkItem<unknown>

/**
 * Writes what can be written, inside a transaction, and returns why the others cannot be, by their keys. Items are tried in their order and the good ones
 * stay. So of two that clash with each other (a unique index), the later one is found.
 */
async function writeAllBut(
  connection: PostgresConnection,
  items: readonly Item[],
  insert: (items: readonly Item[]) => Promise<void>,
): Promise<ReadonlyMap<string, string>> {
  const refused = new Map<string, string>()
  const parts: (readonly Item[])[] = [items]
  for (let statements = 0; parts.length > 0; statements += 1) {
    if (statements >= MAX_STATEMENTS && refused.size > 0) return refused
    const part = parts.pop()
    if (part === undefined) break
    const error = await trial(connection, () => insert(part))
    const [item] = part
    if (error === undefined || item === undefined) continue
    const middle = Math.ceil(part.length / 2)
    if (part.length === 1) refused.set(item.key, error.message)
    else parts.push(part.slice(middle), part.slice(0, middle))
  }
  return refused
}

/** What the database holds against the rows; undefined if they are written. Any other error is thrown. */
async function trial(connection: PostgresConnection, insert: () => Promise<void>): Promise<PostgresError | undefined> {
  await connection.query('SAVEPOINT rows')
  try {
    await insert()
    await connection.query('RELEASE rows')
    return undefined
  } catch (error) {
    if (!(error instanceof PostgresError) || !error.mayBeItems) throw error
    await connection.query('ROLLBACK TO rows')
    return error
  }
}

// The database knows the types of its columns better than anybody who would build its literals, so lists become arrays, texts become dates, and what does not
// fit is an error of that row. Measured against `unnest` of one array for each column, and against one row a statement: see README.md.

/** `$1` is the rows. With a key, the last of the rows with one key counts, and replaces the one in the table. */
function insertStatement(table: Table, key: readonly string[]): string {
  const { columns } = table
  const names = columns.map(({ name }) => quoted(name))
  const values = columns.map(valueOf)
  const fields = columns.filter(({ source }) => source === undefined)
  const record = fields.map(({ name, type }) => `${quoted(name)} ${type}`).join(', ')
  const keyValues = key.map((name) => values[columns.findIndex((column) => column.name === name)] ?? 'NULL').join(', ')
  return [
    `INSERT INTO ${qualifiedName(table)} (${names.join(', ')})`,
    `SELECT ${key.length > 0 ? `DISTINCT ON (${keyValues}) ` : ''}${values.join(', ')}`,
    'FROM json_to_recordset($1::json) AS w (n int, k text, u text, i json, x jsonb)',
    ...(fields.length > 0 ? [`CROSS JOIN LATERAL json_to_record(w.i) AS r (${record})`] : []),
    `ORDER BY ${key.length > 0 ? `${keyValues}, w.n DESC` : 'w.n'}`,
    ...(key.length > 0 ? [onConflict(columns, key)] : []),
  ].join('\n')
}

/** The default of the column is for items without the field; a null that an item has stays one. */
function valueOf({ name, source, fallback }: Column): string {
  if (source !== undefined) return SOURCE_VALUES[source]
  const field = `r.${quoted(name)}`
  return fallback === undefined ? field : `CASE WHEN w.i -> ${literal(name)} IS NULL THEN ${fallback} ELSE ${field} END`
}

function onConflict(columns: readonly Column[], key: readonly string[]): string {
  const others = columns.filter(({ name }) => !key.includes(name)).map(({ name }) => quoted(name))
  const target = `ON CONFLICT (${key.map(quoted).join(', ')}) DO`
  return others.length === 0
    ? `${target} NOTHING`
    : `${target} UPDATE SET ${others.map((name) => `${name} = EXCLUDED.${name}`).join(', ')}`
}

/** A text in SQL, whatever `standard_conforming_strings` says. */
function literal(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}
