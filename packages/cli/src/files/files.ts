// `avocet files`: the files that a crawl saved, a row for each reference, and how many failed.
import { storedJson, type FrontierReader } from '@avocet/core/store'
import type { Output } from '@avocet/project/options'
import { writeDocument, print, say, type Place, commandLine } from '@avocet/project/place'
import { withReader } from '@avocet/project/store'
import { printable, formatCount, formatBytes } from '@avocet/project/text'
import { deliverAll } from '../export/export.ts'
import { closeAll, openOutputs } from '../export/outputs.ts'
import { FILES_OF, fileRows, filesTotals } from '../store/files-totals.ts'
import { filesLine } from '../text/store-words.ts'

/** What was typed. */
export interface FilesWish {
  readonly store: string | undefined
  readonly outputs: readonly Output[]
  readonly limit: number
  readonly json: boolean
}

/** A row, as it is stored. */
type FileRow = Readonly<Partial<Record<'ref' | 'path' | 'url' | 'contentType', string>>> & { readonly bytes?: number }

/**
 * Lists the files, or writes every row once to each output. Exit code 0 also when there is none.
 *
 * @throws AVO_FRONTIER_…, AVO_OUTPUT_UNWRITABLE, AVO_OUTPUT_CLOSED, AVO_USAGE.
 */
export function filesCommand(wish: FilesWish, place: Place): Promise<void> {
  const { store, outputs, limit, json } = wish
  return withReader(place, store, async (reader) => {
    if (outputs.length > 0) return exported(reader, wish, place)
    const rows: FileRow[] = []
    for await (const row of fileRows(reader, limit)) rows.push(storedJson(row, 'a file') as FileRow)
    const totals = await filesTotals(reader)
    if (json) await writeDocument(place.stdout, { schema: 1, ...(totals ?? NONE), list: rows })
    else await print(place.stdout, lines(rows, totals, store))
  })
}

const NONE = { rows: 0, files: 0, bytes: 0, failed: 0, more: false }

function lines(rows: readonly FileRow[], totals: typeof NONE | undefined, store: string | undefined): string[] {
  if (totals === undefined) return ['no files: no handler yielded file(), or the crawl ran without files']
  const left = totals.rows - rows.length
  const dlq = ['dlq', 'list', ...(store === undefined ? [] : [store])]
  return [
    ...rows.map(rowLine),
    ...(rows.length === 0 ? [] : ['']),
    ...(left > 0 && rows.length > 0 ? [`the first ${formatCount(rows.length)} rows (--limit for more)`] : []),
    `in the store: ${filesLine(totals)}`,
    ...(totals.failed === 0 ? [] : ['to see why files failed:', `  ${commandLine(dlq)}`]),
  ]
}

function rowLine({ ref = '', path = '', bytes = 0, url = '' }: FileRow): string {
  return `${printable(ref)}  ${printable(path)}  ${formatBytes(bytes)}  ${printable(url)}`
}

async function exported(reader: FrontierReader, { outputs }: FilesWish, place: Place): Promise<void> {
  const { folder, stdout, stderr, clock } = place
  const sinks = await openOutputs(outputs, { folder, stdout, clock, say: (line) => say(stderr, line) })
  try {
    await deliverAll(sinks, { reader: rowsAsItems(reader), clock })
  } finally {
    await closeAll(sinks)
  }
}

/** Rows of files where outputs look for items. */
function rowsAsItems(reader: FrontierReader): FrontierReader {
  return { ...reader, items: (query) => reader.items({ ...query, recordsOf: FILES_OF }) }
}
