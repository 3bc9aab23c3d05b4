// How many files a crawl saved, of how many bytes, and how many failed: from its store.
import { type FrontierReader, storedJson } from '@avocet/core/store'

/** Handler of files, as requests name it. */
export const FILES_OF = 'files/file'
/** Of a run over kept responses, which requests nothing. */
const NOT_KEPT = 'not-kept'
const PAGE = 1_000
/** Rows and failed requests that are looked at: some hundred ms. */
const MOST_ROWS = 100_000

/** What is in the store. */
export interface FilesTotals {
  /** Rows: one for each reference and visit. */
  readonly rows: number
  /** Different files, and their bytes: of the rows that were looked at. */
  readonly files: number
  readonly bytes: number
  /** Requests that failed. */
  readonly failed: number
  /** There are more rows, or more failed requests, than were looked at. */
  readonly more: boolean
}

/** Undefined where the crawl saved no files, and tried to save none. */
export async function filesTotals(reader: FrontierReader): Promise<FilesTotals | undefined> {
  const sizes = new Map<string, number>()
  let rows = 0
  for await (const json of fileRows(reader, MOST_ROWS)) {
    const { sha256, bytes } = storedJson(json, 'a file') as { readonly sha256?: string; readonly bytes?: number }
    if (sha256 !== undefined && bytes !== undefined) sizes.set(sha256, bytes)
    rows++
  }
  const failed = await failedFiles(reader)
  if (rows === 0 && failed.count === 0) return undefined
  const bytes = [...sizes.values()].reduce((sum, each) => sum + each, 0)
  return { rows, files: sizes.size, bytes, failed: failed.count, more: rows === MOST_ROWS || failed.more }
}

/** The rows as JSON, in the order of their commit, at most `most`. */
async function* fileRows(reader: FrontierReader, most: number): AsyncGenerator<string> {
  let [afterSeq, left] = [0, most]
  while (left > 0) {
    const page = await reader.items({ recordsOf: FILES_OF, afterSeq, limit: Math.min(PAGE, left) })
    for (const { json } of page) yield json
    const last = page.at(-1)
    if (last === undefined) return
    afterSeq = last.seq
    left -= page.length
  }
}

async function failedFiles(reader: FrontierReader): Promise<{ readonly count: number; readonly more: boolean }> {
  let [afterId, count] = [0, 0]
  for (let looked = 0; looked < MOST_ROWS; looked += PAGE) {
    const page = await reader.requests({ state: 'failed', handler: FILES_OF, afterId, limit: PAGE })
    count += page.filter(({ reason }) => reason !== NOT_KEPT).length
    const last = page.at(-1)
    if (last === undefined) return { count, more: false }
    afterId = last.id
  }
  return { count, more: true }
}
