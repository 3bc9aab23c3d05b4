// The files of `avocet crawl --again`: the store in which handlers run over kept responses, and how the crawl's store takes over what they made.
//
// It writes a store of its own, the replay. A copy of the crawl's store then takes over what handlers made of the kept pages (plugin-sqlite's adopt-replay.ts).
// Everything else in the copy stays as it was: what was learned of hosts, secrets, history, pages that are not kept. Once the copy is complete, it replaces the
// store, so a run that ends early leaves the crawl unchanged. A page that is not kept settles as failed in the replay; if it is new, it waits afterwards. The
// store that is replaced is kept as it was after the last crawl: a later run over the same visits does not overwrite it. A lock lets one run at a time use
// these files.
import { existsSync } from 'node:fs'
import { link, lstat, open, rename, rm, stat } from 'node:fs/promises'
import { AvocetError, type RunnableConfig } from '@avocet/core'
import { CANONICALISATION, type Clock, type Frontier, type MemoryParts } from '@avocet/core/store'
import { acceptedPatterns, acceptPatterns, secretNamesAtRest } from '@avocet/core/tools'
import { COMPANIONS } from '../store-kinds/sqlite-kind.ts'
import { storeFiles, type AdoptedPages, type Adoption } from '../store-kinds/store-files.ts'
import { lockOrHolder, type OutputLock } from '@avocet/sink-files/outputs'
import { ARGUMENTS_PLUGIN } from '../load/last-arguments.ts'
import { SOURCE_PLUGIN } from '../load/spider-source.ts'
import { besideStore } from '../load/store-path.ts'
import { forgetMended } from '../store/failed-pages.ts'
import { openedAsItIs, readStore } from '../store/open-store.ts'
import { NOT_KEPT } from './kept-config.ts'

/** What the store got. */
export interface Finished {
  /** Path of the store as the last crawl left it, if there was one. */
  readonly before?: string
  /** Absent where there was no store: then all of it is new. */
  readonly pages?: AdoptedPages
}

/** Where it is written, and what it changes. */
export interface KeptCrawl {
  /** Of the replay. Whoever runs it closes it. */
  readonly frontier: Frontier
  /** Of earlier runs: what was secret in them is. */
  readonly secretParameters: readonly string[]
  /** Of the crawl. */
  readonly memories: readonly MemoryParts[]
  /** The store gets what handlers made of the pages. */
  finish(told: Pick<Adoption, 'today' | 'onUntouched'>): Promise<Finished>
  /** Removes what was written. */
  discard(): Promise<void>
  /** Lets other runs use its files. */
  release(): Promise<void>
}

const REOPENED_AT_ONCE = 1_000

/**
 * Makes the store of a crawl over kept responses; `path` is that of the store of the crawl.
 *
 * @throws AVO_FRONTIER_BUSY while another process works on one of them, AVO_FRONTIER_… for one that cannot be used.
 */
export async function keptCrawl(path: string, config: RunnableConfig, clock: Clock): Promise<KeptCrawl> {
  const { release } = await lockOf(path)
  try {
    return { ...(await lockedCrawl(path, config, clock)), release }
  } catch (error) {
    await release()
    throw error
  }
}

async function lockedCrawl(path: string, config: RunnableConfig, clock: Clock): Promise<Omit<KeptCrawl, 'release'>> {
  const replay = besideStore(path, '.again')
  const copy = besideStore(path, '.again-copy')
  for (const each of [besideStore(path, '.before'), ...(existsSync(path) ? [] : [path])]) await checkOurs(each)
  const memories = await memoriesOfFree(path)
  const discard = async (): Promise<void> => {
    for (const each of [replay, copy]) await removed(each)
  }
  await discard()
  const { sqlite } = await storeFiles()
  const frontier = sqlite(replay, { clock })
  const accepted = [...acceptedPatterns(memories)]
  if (accepted.length > 0) await accept(frontier, { config, accepted, now: clock.now() })
  return {
    frontier,
    secretParameters: secretNamesAtRest(memories),
    memories,
    discard,
    async finish(told) {
      try {
        return existsSync(path) ? await replaced(path, { replay, copy, clock }, told) : await begun(path, replay, clock)
      } finally {
        await discard()
      }
    },
  }
}

/** Throws AVO_FRONTIER_BUSY while another run has the files beside the store at `path`. */
async function lockOf(path: string): Promise<OutputLock> {
  const lock = await lockOrHolder(besideStore(path, '.again'))
  if (typeof lock !== 'number') return lock
  throw new AvocetError(
    'AVO_FRONTIER_BUSY',
    `--again: expected no other crawl --again of ${path}, got process ${lock}; wait until it ends, and run the same command again`,
  )
}

/** The memories of the crawl at `path`. Throws AVO_FRONTIER_BUSY while a process works on it. */
async function memoriesOfFree(path: string): Promise<readonly MemoryParts[]> {
  if (!existsSync(path)) return []
  return readStore(path, async (reader) => {
    const { liveProcesses } = await reader.info()
    if (liveProcesses > 0)
      throw new AvocetError('AVO_FRONTIER_BUSY', `--again: expected nobody to work on ${path}, but a process does; stop it first`)
    return reader.crawlMemories()
  })
}

/** Patterns that were accepted for the crawl are accepted for the replay, which has the same pages. */
async function accept(
  frontier: Frontier,
  { config, accepted, now }: { readonly config: RunnableConfig; readonly accepted: readonly string[]; readonly now: number },
): Promise<void> {
  const { spider, hostKeying = 'host' } = config
  const info = await frontier.open({ name: spider.name, canonicalisation: CANONICALISATION, hostKeying }, now)
  try {
    await acceptPatterns(frontier, info, accepted)
  } finally {
    await frontier.close()
  }
}

async function reopenNotKept(path: string, now: number): Promise<void> {
  const { frontier } = await openedAsItIs(path, now)
  try {
    for (let count = REOPENED_AT_ONCE; count === REOPENED_AT_ONCE;)
      count = await frontier.reopen({ reasons: [NOT_KEPT], limit: REOPENED_AT_ONCE })
  } finally {
    await frontier.close()
  }
}

/** Where there was no store, the replay becomes it. By a link, which fails if there is a store by now. */
async function begun(path: string, replay: string, clock: Clock): Promise<Finished> {
  await reopenNotKept(replay, clock.now())
  await link(replay, path)
  return {}
}

interface Files {
  readonly replay: string
  readonly copy: string
  readonly clock: Clock
}

/** There is a store at `path` at every moment. */
async function replaced(
  path: string,
  { replay, copy, clock }: Files,
  told: Parameters<KeptCrawl['finish']>[0],
): Promise<Finished> {
  await closedByAll(path, clock.now())
  const state = await stateOf(path)
  const { adoptReplay } = await storeFiles()
  const of = { notKept: NOT_KEPT, crawlParts: [SOURCE_PLUGIN, ARGUMENTS_PLUGIN] }
  const pages = await adoptReplay({ path, replay, into: copy, clock, ...of, ...told })
  await memoriesOfFree(path)
  if ((await stateOf(path)) !== state)
    throw new AvocetError('AVO_FRONTIER_BUSY', `--again: expected nobody to work on ${path}, but a process did; run it once more`)
  const before = besideStore(path, '.before')
  const isKept = await isAsVisited(before, path)
  if (!isKept) await removed(before)
  await closedByAll(path, clock.now())
  if (!isKept) await link(path, before)
  await rename(copy, path)
  await forgetMended({ store: path, beside: path })
  return { before, pages }
}

/**
 * Whether the store at `before` is that at `path` as the last crawl left it. Then it is not overwritten, for what is at `path` now is what an earlier --again
 * made of it. One that cannot be read is not worth keeping.
 */
async function isAsVisited(before: string, path: string): Promise<boolean> {
  if (!existsSync(before)) return false
  const { haveSameVisits } = await storeFiles()
  return haveSameVisits(before, path).catch(() => false)
}

/**
 * Has SQLite write what is in files beside the store into it, and remove them: they would be taken for those of the copy. It does not while anybody has the
 * store open, be it to read.
 *
 * @throws AVO_FRONTIER_BUSY
 */
async function closedByAll(path: string, now: number): Promise<void> {
  const { frontier } = await openedAsItIs(path, now)
  await frontier.close()
  if (!existsSync(`${path}-wal`)) return
  throw new AvocetError(
    'AVO_FRONTIER_BUSY',
    `--again: expected nobody to have ${path} open, but a program reads it; end that, and run the same command again`,
  )
}

/** Changes whenever a process writes to the store and closes it. */
async function stateOf(path: string): Promise<string> {
  const { mtimeMs, size } = await stat(path)
  return `${mtimeMs} ${size}`
}

/**
 * Removes a store of ours, sound or not, and its companions; the store last, because it says whose they are. Throws AVO_FRONTIER_FOREIGN for anything else.
 */
async function removed(path: string): Promise<void> {
  await checkOurs(path)
  if (!existsSync(path)) return
  for (const companion of COMPANIONS) await rm(`${path}${companion}`, { force: true })
  await rm(path, { force: true })
}

/** Errors of a store that is ours all the same: damaged, or of another version. */
const OURS = new Set(['AVO_FRONTIER_CORRUPT', 'AVO_FRONTIER_VERSION'])

/** Throws AVO_FRONTIER_FOREIGN for anything that is not ours, and for files that SQLite would take for those of a store that is not there. */
export async function checkOurs(path: string): Promise<void> {
  const isThere = await checkFile(path, 'nothing or an earlier store')
  for (const companion of COMPANIONS) {
    const beside = `${path}${companion}`
    const isBeside = await checkFile(beside, 'nothing or a file of SQLite')
    if (!isThere && isBeside && !(await saysNothing(beside))) throw foreign(`nothing at ${beside} without ${path}`, 'a file')
  }
  if (!isThere) return
  await readStore(path, async () => undefined).catch((error: unknown) => {
    if (!(error instanceof AvocetError && OURS.has(error.code))) throw error
  })
}

/** The first word of an index of SQLite's (https://sqlite.org/walformat.html §2.2), in the order of bytes of the machine. */
const INDEX_VERSION = 3_007_000

/** Whether it is what a reader leaves behind: empty, or an index, which SQLite rebuilds. */
async function saysNothing(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return bytesRead === 0 || (path.endsWith('-shm') && [buffer.readUInt32LE(), buffer.readUInt32BE()].includes(INDEX_VERSION))
  } finally {
    await file.close()
  }
}

/** Whether there is a file. Throws AVO_FRONTIER_FOREIGN for a folder or a link. */
async function checkFile(path: string, expected: string): Promise<boolean> {
  const entry = await lstat(path).catch(() => undefined)
  if (entry?.isFile() === false) throw foreign(`${expected} at ${path}`, entry.isSymbolicLink() ? 'a link' : 'no file')
  return entry !== undefined
}

function foreign(expected: string, got: string): AvocetError {
  return new AvocetError('AVO_FRONTIER_FOREIGN', `--again: expected ${expected}, got ${got}; move it away`)
}
