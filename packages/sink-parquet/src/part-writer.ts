// One file while it is written: row groups go to a draft, which becomes the file when it is complete and on the disk.
import { link, mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AvocetError, type Json } from '@avocet/core'
import type * as hyparquetWriter from 'hyparquet-writer'
import type { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { cellIn, parquetCell, type Columns, type ColumnType } from './columns.ts'

/** What the writer of the format needs: it is loaded when a sink opens, and not before. */
export type ParquetLibrary = Pick<typeof hyparquetWriter, 'ByteWriter' | 'ParquetWriter' | 'schemaFromColumnData'>

/** What a file is made with. */
export interface PartOptions {
  readonly path: string
  readonly draft: string
  readonly columns: Columns
  /** Kept in the footer under `avocet`. */
  readonly owner: string
  readonly library: ParquetLibrary
}

const BASIC_TYPE = {
  string: 'STRING',
  double: 'DOUBLE',
  int64: 'INT64',
  boolean: 'BOOLEAN',
  timestamp: 'TIMESTAMP',
  json: 'JSON',
} as const satisfies Readonly<Record<ColumnType, string>>

/** Writes one file, a row group at a time. */
export class PartWriter {
  readonly #options: PartOptions
  readonly #file: FileHandle
  readonly #bytes: ByteWriter
  readonly #parquet: ParquetWriter
  #written = 0

  private constructor(options: PartOptions, file: FileHandle) {
    this.#options = options
    this.#file = file
    this.#bytes = new options.library.ByteWriter()
    this.#parquet = new options.library.ParquetWriter({
      writer: this.#bytes,
      schema: options.library.schemaFromColumnData({ columnData: columnData(options.columns, []) }),
      kvMetadata: [{ key: 'avocet', value: options.owner }],
      createdBy: 'avocet',
    })
  }

  /** Begins a draft; one of an earlier run is overwritten. */
  static async create(options: PartOptions): Promise<PartWriter> {
    await mkdir(dirname(options.draft), { recursive: true })
    return new PartWriter(options, await open(options.draft, 'w', 0o600))
  }

  /** Bytes in the draft. */
  get size(): number {
    return this.#written
  }

  /** Writes rows as one row group. They fit the columns. */
  async append(rows: readonly Readonly<Record<string, Json>>[]): Promise<void> {
    await this.#parquet.write({ columnData: columnData(this.#options.columns, rows), rowGroupSize: rows.length })
    await this.#flush()
  }

  /** Makes the file: complete, on the disk, and under its name. */
  async finish(): Promise<void> {
    const { path, draft } = this.#options
    await this.#parquet.finish()
    await this.#flush()
    await this.#file.sync()
    await this.#file.close()
    // What was not marked was removed when the sink opened. So a file that is there is of somebody else, who began after that: it must not be replaced.
    await link(draft, path).catch(async (cause: unknown) => {
      if (await exists(path))
        throw new AvocetError(
          'AVO_OUTPUT_UNWRITABLE',
          `expected ${path} not to exist yet, got a file; does another sink write there?`,
          { cause },
        )
      // Some file systems have no links.
      await rename(draft, path)
    })
    await rm(draft, { force: true })
    await syncFolder(dirname(path))
  }

  /** Removes the draft. */
  async discard(): Promise<void> {
    await this.#file.close().catch(() => {})
    await rm(this.#options.draft, { force: true })
  }

  /** Hands what was encoded over to the file. The offset in the file, which the footer refers to, goes on counting. */
  async #flush(): Promise<void> {
    const bytes = new Uint8Array(this.#bytes.getBuffer())
    this.#bytes.index = 0
    for (let from = 0; from < bytes.length;) {
      const { bytesWritten } = await this.#file.write(bytes, from, bytes.length - from)
      from += bytesWritten
    }
    this.#written += bytes.length
  }
}

function columnData(
  columns: Columns,
  rows: readonly Readonly<Record<string, Json>>[],
): Parameters<ParquetWriter['write']>[0]['columnData'] {
  return columns.map(([name, type]) => ({
    name,
    type: BASIC_TYPE[type],
    // The smallest and the largest JSON text say nothing, and would be kept whole.
    ...(type === 'json' && { statistics: false }),
    data: rows.map((row) => {
      const value = cellIn(row, name)
      return value === null ? null : (parquetCell(value, type) ?? null)
    }),
  }))
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/** Makes a rename last through a power cut. Windows cannot open a folder, and needs it not. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await using handle = await open(folder, 'r')
  await handle.sync()
}
