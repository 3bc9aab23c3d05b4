// The files of a folder that belong to a sink: their names, whose they are, and the removal of those that were written and not marked.
//
// Each file names its store and its sink in its footer. A file of the same sink that the mark does not know was written just before a crash: its items come
// again, so it is removed. A file of anybody else is never touched: the sink refuses to open.
import { createHash } from 'node:crypto'
import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AvocetError } from '@avocet/core'
import type { ParquetRules } from './options.ts'

/** Beyond it, a footer is not of a file that a sink wrote. */
const LONGEST_FOOTER = 64 * 1024 * 1024
/** Files and folders that sort by name sort by number up to here. */
const DIGITS = 6

/** Where the files of one sink are, and how they say that they are its own. */
export interface PartFolder {
  readonly rules: ParquetRules
  /** What the footer of each file contains. */
  readonly owner: string
}

/** How the footer of a file says whose it is. */
export function ownerOf(storeId: string, sinkName: string): string {
  return JSON.stringify({ store: storeId, sink: sinkName })
}

/** Path of the file with a number. */
export function partPath({ folder, affixes: [before, after] }: ParquetRules, number: number): string {
  return join(folder, before + String(number).padStart(DIGITS, '0') + after)
}

/** Path of the same while it is written, which no other sink has. Readers that look for `*.parquet` do not see it. */
export function draftPath({ rules, owner }: PartFolder, number: number): string {
  const { folder, affixes } = rules
  const [before, after] = affixes
  return join(folder, `.${before}${String(number).padStart(DIGITS, '0')}${after}${draftEnd(owner)}`)
}

/** Two sinks that write to one draft would make a file that nobody can read. */
function draftEnd(owner: string): string {
  return `.${createHash('sha256').update(owner).digest('hex').slice(0, 12)}.draft`
}

/**
 * Removes files of this sink from number `from` on, finished or not.
 *
 * @throws AVO_OUTPUT_UNWRITABLE if one of the finished ones is not of this sink: nothing is removed then.
 */
export async function removeUnmarked({ rules, owner }: PartFolder, from: number): Promise<void> {
  const names = await readdir(rules.folder)
  const finished = names.filter((name) => (numberIn(name, rules.affixes) ?? 0) >= from).map((name) => join(rules.folder, name))
  for (const path of finished)
    if (!(await isOwn(path, owner)))
      throw new AvocetError(
        'AVO_OUTPUT_UNWRITABLE',
        `expected ${path} to be free for this crawl, got a file of another crawl or another sink; move it away, or choose another path`,
      )
  const drafts = names.filter((name) => isDraft(name, rules.affixes, draftEnd(owner))).map((name) => join(rules.folder, name))
  for (const path of [...finished, ...drafts]) await rm(path, { force: true })
}

function isDraft(name: string, affixes: ParquetRules['affixes'], end: string): boolean {
  return name.startsWith('.') && name.endsWith(end) && numberIn(name.slice(1, -end.length), affixes) !== undefined
}

/** The number in the name of a file; undefined if the name is not of this pattern. */
function numberIn(name: string, [before, after]: ParquetRules['affixes']): number | undefined {
  if (!name.startsWith(before) || !name.endsWith(after)) return undefined
  const digits = name.slice(before.length, name.length - after.length)
  return /^\d{6,15}$/.test(digits) ? Number(digits) : undefined
}

/** Whether the footer names this sink: its bytes contain the text as it was written. */
async function isOwn(path: string, owner: string): Promise<boolean> {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  if (size < 12) return false
  const tail = Buffer.alloc(8)
  await file.read(tail, 0, 8, size - 8)
  const length = tail.readUInt32LE(0)
  if (tail.toString('latin1', 4) !== 'PAR1' || length > Math.min(size - 12, LONGEST_FOOTER)) return false
  const footer = Buffer.alloc(length)
  await file.read(footer, 0, length, size - 8 - length)
  return footer.includes(owner)
}
