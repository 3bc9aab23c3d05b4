// The store of a crawl: which one it is, what a message calls it, and how `--fresh` starts it over.
import { Orders } from '@avocet/at-rest'
import { rm } from 'node:fs/promises'
import { AvocetError } from '@avocet/core'
import { memoryFrontier } from 'avocet'
import type { Clock, Frontier } from '@avocet/core/store'
import {
  IN_MEMORY,
  localPlace,
  nameFrom,
  shownName,
  cachePathOf,
  failedPathOf,
  readStore,
  storeExists,
  storeKind,
  storeFiles,
  COMPANIONS,
} from '@avocet/project/store'
import { say, type Place, commandName, shellWord } from '@avocet/project/place'
import { printable, formatCount, formatCountOf } from '@avocet/project/text'

/** Hosts that a line names. */
const MAX_NAMED = 5

/** Where a crawl lives. */
export interface CrawlStore {
  readonly frontier: Frontier
  /** How a message calls it; absent when it ends with the process. */
  readonly title?: string
  /** Its address; absent when only the configuration knows. */
  readonly path?: string
}

/** What was typed about the store. */
export interface CrawlStoreWish {
  /** An address, or `:memory:`. */
  readonly path: string
  /** Whether the store was typed or configured, and not only derived from the spider's name. */
  readonly typed: boolean
  readonly fresh: boolean
  /** Where the command runs, absolute. */
  readonly folder: string
  /** The crawl's. */
  readonly clock: Clock
}

/**
 * A store that was typed wins over the configuration's own, which wins over the default place. SQLite is loaded when it is used.
 *
 * @throws AVO_USAGE when the configuration's own store is to be started over: only who made it knows what it consists of.
 */
export async function crawlStore(configured: Frontier | undefined, wish: CrawlStoreWish): Promise<CrawlStore> {
  const { path, typed, fresh, folder, clock } = wish
  if (configured && !typed) {
    if (fresh) {
      throw new AvocetError(
        'AVO_USAGE',
        "--fresh: expected a store that avocet made, got the configuration's own (frontier); remove that yourself, or name another: --store PATH",
      )
    }
    // What several processes can share outlives each of them.
    return { frontier: configured, ...(configured.sharing && { title: "the configuration's own" }) }
  }
  if (path === IN_MEMORY) return { frontier: memoryFrontier() }
  const frontier = await storeKind(path).frontier(path, { clock })
  return { frontier, title: nameFrom(folder, path), path }
}

/** Errors of a store that is ours and beyond use: starting over is what helps. */
const BEYOND_USE = new Set(['AVO_FRONTIER_CORRUPT', 'AVO_FRONTIER_VERSION'])

/**
 * Removes the store at `path`, and what is kept beside it. On a terminal it asks first; elsewhere `sure` has to say so.
 *
 * @throws AVO_FRONTIER_BUSY while another process crawls it, AVO_FRONTIER_FOREIGN for a file that is no store, AVO_USAGE without consent.
 */
export async function startOver(path: string, sure: boolean, place: Place): Promise<void> {
  const kind = storeKind(path)
  const held = (await kind.exists(path)) ? await look(path, place.clock.now()) : undefined
  const local = localPlace(place.folder, path)
  const beside = await fileAt(cachePathOf(local))
  const first = held === undefined ? beside?.path : shownName(path)
  if (first === undefined) return
  if (held !== undefined && held.liveProcesses > 0) {
    throw new AvocetError(
      'AVO_FRONTIER_BUSY',
      `--fresh: expected nobody to work on ${shownName(path)}, but ${formatCountOf(held.liveProcesses, 'process does', 'processes do')}; ${held.liveProcesses === 1 ? 'stop it' : 'stop them'} first`,
    )
  }
  const contents = [...(held === undefined ? [] : [held.contents]), ...(beside === undefined ? [] : [beside.contents])].join(', ')
  if (!sure && !(await agrees(`forget ${first} (${contents})?`, place))) {
    throw new AvocetError('AVO_USAGE', `--fresh: expected consent to forget ${first} (${contents}); add --yes`)
  }
  if (held !== undefined) await kind.remove(path)
  await beside?.remove()
  await (await fileAt(failedPathOf(local)))?.remove()
  sayForgotten(held, beside, place)
}

function sayForgotten(
  { accepted, ordered }: Pick<Held, 'accepted' | 'ordered'> = { accepted: [], ordered: [] },
  beside: FileBeside | undefined,
  { folder, stderr }: Place,
): void {
  if (beside !== undefined) say(stderr, `--fresh also removed ${printable(nameFrom(folder, beside.path))} (${beside.contents})`)
  const [host] = ordered
  if (host !== undefined) {
    const names = ordered.slice(0, MAX_NAMED).map(printable).join(', ')
    const more = ordered.length > MAX_NAMED ? ` and ${formatCount(ordered.length - MAX_NAMED)} more` : ''
    const what = ordered.length === 1 ? 'a pause or limits' : 'pauses or limits'
    say(
      stderr,
      `--fresh forgot ${what} of ${names}${more}; to pause again: ${commandName()} host pause ${shellWord(printable(host))}`,
    )
  }
  if (accepted.length === 0) return
  const patterns = accepted.map((pattern) => shellWord(printable(pattern))).join(' ')
  say(
    stderr,
    `--fresh forgot the accepted patterns ${patterns}; once they are closed again: ${commandName()} scope accept ${patterns}`,
  )
}

/** What is about to be forgotten. */
interface Held {
  readonly liveProcesses: number
  readonly contents: string
  /** Patterns that the user opened again. */
  readonly accepted: readonly string[]
  /** Keys of hosts that the user paused or limited. */
  readonly ordered: readonly string[]
}

async function look(path: string, now: number): Promise<Held> {
  try {
    return await readStore(path, async (reader) => {
      const { liveProcesses } = await reader.info()
      const { known, items } = await reader.counts()
      const orders = await Orders.of(reader)
      const accepted = [...orders.accepted].toSorted()
      const ordered = orders.hostsAt(now).map(({ hostKey }) => hostKey)
      const contents = [
        `${formatCount(known)} URLs, ${formatCount(items)} items`,
        ...(accepted.length === 0 ? [] : [formatCountOf(accepted.length, 'accepted pattern')]),
        ...(ordered.length === 0 ? [] : [`${formatCountOf(ordered.length, 'host')} paused or limited`]),
      ]
      return { liveProcesses, contents: contents.join(', '), accepted, ordered }
    })
  } catch (error) {
    const code = error instanceof AvocetError ? error.code : ''
    if (code !== 'AVO_FRONTIER_MISSING' && !BEYOND_USE.has(code)) throw error
    const contents = code === 'AVO_FRONTIER_MISSING' ? 'empty' : 'unreadable'
    return { liveProcesses: 0, contents, accepted: [], ordered: [] }
  }
}

async function agrees(question: string, { stdin, stderr }: Place): Promise<boolean> {
  if (!stdin.isTTY || !stderr.isTTY) return false
  const { createInterface } = await import('node:readline/promises')
  const terminal = createInterface({ input: stdin, output: stderr })
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim())
  } finally {
    terminal.close()
  }
}

/** A line where the store that was typed is that of another crawl: its pages would be crawled by the scope and the handlers of this one. */
export async function foreignCrawl({ path, typed, fresh, folder, clock }: CrawlStoreWish, name: string): Promise<string[]> {
  if (!typed || fresh || path === IN_MEMORY || !(await isThere(path, clock))) return []
  // Of another program, or damaged: opening it says so.
  const made = await readStore(path, async (reader) => (await reader.info()).name).catch(() => name)
  if (made === name) return []
  const store = printable(nameFrom(folder, path))
  return [
    `${store} is the store of the crawl ${printable(made)}, and this is ${printable(name)}: the pages that wait there are crawled by its scope and handlers, and items of both are in one store; to keep them apart, name another --store`,
  ]
}

/** Looks before the server of a store counts as away: a connection that was cut ends no crawl as it begins. */
const MOST_LOOKS = 5
const LOOK_AGAIN_MS = 500
/** No further look begins after that: one at a server that is silent takes long by itself. */
const LOOKING_MS = 2_000

/** Throws AVO_FRONTIER_AWAY where nobody answers for two seconds, or one look: a URL that is wrong is said at once, where the crawl would wait for minutes. */
async function isThere(path: string, clock: Clock): Promise<boolean> {
  const startedAt = clock.now()
  for (let looks = 1; ; looks++) {
    try {
      return await storeExists(path)
    } catch (error) {
      const isAway = error instanceof AvocetError && error.code === 'AVO_FRONTIER_AWAY'
      if (!isAway || looks === MOST_LOOKS || clock.now() - startedAt >= LOOKING_MS) throw error
      await new Promise<void>((again) => clock.at(clock.now() + LOOK_AGAIN_MS, again))
    }
  }
}

/** A file of ours. */
interface FileBeside {
  readonly path: string
  /** In words, for people. */
  readonly contents: string
  remove(): Promise<void>
}

/** That of the store at `path`, whether or not the store is there. Undefined where there is none, and for a file that is not ours. */
async function fileAt(path: string): Promise<FileBeside | undefined> {
  const responses = await (await storeFiles()).ownResponses(path)
  if (responses === undefined) return undefined
  return {
    path,
    contents: responses.count === undefined ? 'kept responses' : formatCountOf(responses.count, 'kept response'),
    // The file itself last, because it says whose the others are.
    async remove() {
      for (const companion of [...COMPANIONS, '']) await rm(`${path}${companion}`, { force: true })
    },
  }
}
