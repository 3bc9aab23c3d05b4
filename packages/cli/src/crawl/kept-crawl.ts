// `avocet crawl --again`: runs the handlers over kept responses, as a crawl of its own that requests nothing.
//
// It writes a store of its own, the replay, from which a copy of the crawl's store takes what handlers made of the pages that are kept (plugin-sqlite's
// adopt-replay.ts). All else in the copy is as it was: what was learned of hosts, secrets, history, pages that are not kept. When it is whole, the copy takes
// the place of the store. So whatever ends this early, the crawl is as it was. What is not kept settles as failed in the replay; what of it is new waits
// afterwards.
import { existsSync } from 'node:fs'
import { link, lstat, open, rename, rm, stat } from 'node:fs/promises'
import { AvocetError, definePlugin, unpaced, type RunnableConfig } from '@avocet/core'
import { CANONICALISATION, type Clock, type Fetcher, type Frontier, type MemoryParts } from '@avocet/core/store'
import { acceptedPatterns, acceptPatterns, secretNamesAtRest } from '@avocet/core/tools'
import type { AdoptedPages, KeptResponses } from '@avocet/plugin-sqlite'
import { START_ENDING } from '../export/file-export.ts'
import { ARGUMENTS_PLUGIN } from '../load/last-arguments.ts'
import { SOURCE_PLUGIN } from '../load/spider-source.ts'
import { besideStore } from '../load/store-path.ts'
import { forgetMended } from '../store/failed-pages.ts'
import { openedAsItIs, readStore } from '../store/open-store.ts'

/** What the store got. */
export interface Finished {
  /** Path of the store as it was, if there was one. */
  readonly before?: string
  /** Absent where there was no store: then all of it is new. */
  readonly pages?: AdoptedPages
}

/** Where it is written, and what it changes. */
export interface KeptCrawl {
  /** Of the replay. Closed by who runs it. */
  readonly frontier: Frontier
  /** Of earlier runs: what was secret in them is. */
  readonly secretParameters: readonly string[]
  /** The store gets what handlers made of the pages. */
  finish(): Promise<Finished>
  /** Forgets what was written. */
  discard(): Promise<void>
}

/** SQLite keeps these beside a store. */
const COMPANIONS = ['-wal', '-shm', '-journal']
/** The reason with which a page fails meanwhile that is not kept. */
export const NOT_KEPT = 'not-kept'
const REOPENED_AT_ONCE = 1_000

/**
 * Makes the store of a crawl over kept responses; `path` is that of the store of the crawl.
 *
 * @throws AVO_FRONTIER_BUSY while another process works on either of them, AVO_FRONTIER_… for one that cannot be used.
 */
export async function keptCrawl(path: string, config: RunnableConfig, clock: Clock): Promise<KeptCrawl> {
  const replay = besideStore(path, '.again')
  const copy = besideStore(path, '.again-copy')
  await memoriesOfFree(replay)
  for (const each of [besideStore(path, '.before'), ...(existsSync(path) ? [] : [path])]) await checkOurs(each)
  const memories = await memoriesOfFree(path)
  const discard = async (): Promise<void> => {
    for (const each of [replay, copy]) await removed(each)
  }
  await discard()
  const { sqlite } = await import('@avocet/plugin-sqlite')
  const frontier = sqlite(replay, { clock })
  const accepted = [...acceptedPatterns(memories)]
  if (accepted.length > 0) await accept(frontier, { config, accepted, now: clock.now() })
  return {
    frontier,
    secretParameters: secretNamesAtRest(memories),
    discard,
    async finish() {
      try {
        return existsSync(path) ? await replaced(path, { replay, copy, clock }) : await begun(path, replay, clock)
      } finally {
        await discard()
      }
    },
  }
}

/**
 * The configuration of it: nothing that concerns hosts, and nothing that plugins do to them. `onDamaged`: what is kept of a page cannot be read, so it counts
 * as not kept.
 */
export function configOfKept(config: RunnableConfig, kept: KeptResponses, onDamaged: (error: unknown) => void): RunnableConfig {
  const { hosts: _hosts, delayMs: _delay, maxPerHost: _most, recrawl: _recrawl, resolver: _resolver, ...others } = config
  const { nameServers: _servers, bodyBudgetBytes: _budget, policies: _policies, plugins = [], ...some } = others
  // All of it is run, or nothing.
  const { maxPages: _pages, maxTimeMs: _time, ...rest } = some
  const own = plugins.filter(({ policy }) => policy === undefined).map(withoutHosts)
  const serves = definePlugin({
    name: 'kept-responses',
    beforeRequest(outgoing) {
      try {
        const found = kept.find(outgoing.exchange.request)
        if (found !== undefined) return outgoing.serve(found.response)
      } catch (error) {
        onDamaged(error)
      }
      outgoing.drop(NOT_KEPT)
    },
  })
  return { ...rest, policies: [unpaced()], plugins: [...own, serves], fetcher: NO_WEB }
}

const NO_WEB: Fetcher = { fetch: () => () => {}, close: async () => {} }

type Plugins = NonNullable<RunnableConfig['plugins']>

function withoutHosts(plugin: Plugins[number]): Plugins[number] {
  const { admit: _admit, onAdmit: _onAdmit, onUnsent: _onUnsent, beforeRequest: _before, ...others } = plugin
  const { onResponse: _onResponse, onError: _onError, onRequired: _onRequired, ...rest } = others
  return rest
}

/** The memories of the crawl at `path`, which nobody works on. */
async function memoriesOfFree(path: string): Promise<readonly MemoryParts[]> {
  if (!existsSync(path)) return []
  return readStore(path, async (reader) => {
    const { liveProcesses } = await reader.info()
    if (liveProcesses > 0)
      throw new AvocetError('AVO_FRONTIER_BUSY', `--again: expected nobody to work on ${path}, but a process does; stop it first`)
    return reader.crawlMemories()
  })
}

/** What was decided about a site holds for the same pages. */
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

/** Where there was no store. A link, for it takes the place of nothing that has come meanwhile. */
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

/** At no moment is there no store at `path`. */
async function replaced(path: string, { replay, copy, clock }: Files): Promise<Finished> {
  await closedByAll(path, clock.now())
  const state = await stateOf(path)
  const { adoptReplay } = await import('@avocet/plugin-sqlite')
  const of = { notKept: NOT_KEPT, crawlParts: [SOURCE_PLUGIN, ARGUMENTS_PLUGIN], startEnding: START_ENDING }
  const pages = await adoptReplay({ path, replay, into: copy, clock, ...of })
  await memoriesOfFree(path)
  if ((await stateOf(path)) !== state)
    throw new AvocetError('AVO_FRONTIER_BUSY', `--again: expected nobody to work on ${path}, but a process did; run it once more`)
  const before = besideStore(path, '.before')
  await removed(before)
  await closedByAll(path, clock.now())
  await link(path, before)
  await rename(copy, path)
  await forgetMended(path)
  return { before, pages }
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

/** Changes whenever somebody has written to the store and closed it. */
async function stateOf(path: string): Promise<string> {
  const { mtimeMs, size } = await stat(path)
  return `${mtimeMs} ${size}`
}

/** Removes a store of ours, whatever it has in it. Throws AVO_FRONTIER_FOREIGN for anything else. The file that says whose they are goes last. */
async function removed(path: string): Promise<void> {
  await checkOurs(path)
  if (!existsSync(path)) return
  for (const companion of COMPANIONS) await rm(`${path}${companion}`, { force: true })
  await rm(path, { force: true })
}

/** A damaged store is ours too, and so is one of another version. */
const OURS = new Set(['AVO_FRONTIER_CORRUPT', 'AVO_FRONTIER_VERSION'])

/** Throws AVO_FRONTIER_FOREIGN for anything that is not ours, and for files that SQLite would take for those of a store that is not there. */
async function checkOurs(path: string): Promise<void> {
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

/** Whether it is what a reader leaves: nothing is in it, or an index, which SQLite makes anew. */
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
