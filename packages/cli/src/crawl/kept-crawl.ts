// `avocet crawl --again`: runs the handlers over kept responses, as a crawl of its own that requests nothing.
//
// It writes a new store beside the old one and takes its place when it has finished. So whatever ends it early, the crawl is as it was, and the old store is kept. What is not kept
// settles as failed while it runs, and waits afterwards: the next crawl requests it.
import { existsSync } from 'node:fs'
import { link, lstat, rename, rm } from 'node:fs/promises'
import { AvocetError, definePlugin, memoryFrontier, unpaced, type CrawlReport, type RunnableConfig } from '@avocet/core'
import { CANONICALISATION, type Clock, type Fetcher, type Frontier } from '@avocet/core/store'
import { acceptedPatterns, acceptPatterns } from '@avocet/core/tools'
import type { KeptResponses } from '@avocet/plugin-sqlite'
import { besideStore, IN_MEMORY, nameFrom } from '../load/store-path.ts'
import { openedAsItIs, readStore } from '../store/open-store.ts'

/** Where it is written, and what it takes the place of. */
export interface KeptCrawl {
  /** Where it is when it has finished; absent in memory. */
  readonly path?: string
  /** Closed by who runs it. */
  readonly frontier: Frontier
  /** Takes the place of the old store. Returns a path of that, if there was one. */
  finish(): Promise<string | undefined>
  /** Forgets what was written. */
  discard(): Promise<void>
}

const COMPANIONS = ['', '-wal', '-shm', '-journal']
const REASON = 'not-kept'
const REOPENED_AT_ONCE = 1_000

/**
 * Makes the store of a crawl over kept responses; `path` is that of the store whose place it takes, or `:memory:`.
 *
 * @throws AVO_FRONTIER_BUSY while another process works on either of them, AVO_FRONTIER_… for one that cannot be used.
 */
export async function keptCrawl(path: string, config: RunnableConfig, clock: Clock): Promise<KeptCrawl> {
  if (path === IN_MEMORY) return { frontier: memoryFrontier(), finish: async () => undefined, discard: async () => undefined }
  const [next, before] = [besideStore(path, '.again'), besideStore(path, '.before')]
  await free(next, '--again')
  await removed(next)
  await checkOurs(before)
  const accepted = await free(path, '--again')
  const { sqlite } = await import('@avocet/plugin-sqlite')
  const frontier = sqlite(next, { clock })
  if (accepted.length > 0) await accept(frontier, { config, accepted, now: clock.now() })
  return {
    path,
    frontier,
    async finish() {
      await reopenNotKept(next, clock.now())
      return replace(path, next, clock.now())
    },
    discard: () => removed(next),
  }
}

/** The configuration of it: nothing that concerns hosts, and nothing that plugins do to them. */
export function configOfKept(config: RunnableConfig, kept: KeptResponses): RunnableConfig {
  const { hosts: _hosts, delayMs: _delay, maxPerHost: _most, recrawl: _recrawl, resolver: _resolver, ...others } = config
  const { nameServers: _servers, bodyBudgetBytes: _budget, policies: _policies, plugins = [], ...rest } = others
  const own = plugins.filter(({ policy }) => policy === undefined).map(withoutHosts)
  const serves = definePlugin({
    name: 'kept-responses',
    beforeRequest(outgoing) {
      const found = kept.find(outgoing.exchange.request)
      if (found === undefined) outgoing.drop(REASON)
      else outgoing.serve(found.response)
    },
  })
  return { ...rest, policies: [unpaced()], plugins: [...own, serves], fetcher: NO_WEB }
}

/** The report with what is not kept as waiting, as it is in the store then; and how many these are. */
export function reportOfKept(report: CrawlReport): { readonly report: CrawlReport; readonly notKept: number } {
  const { counts, run, failures } = report
  const notKept = failures.find(({ reason }) => reason === REASON)?.count ?? 0
  const shown = {
    ...report,
    counts: { ...counts, failed: counts.failed - notKept, waiting: counts.waiting + notKept },
    run: { ...run, failed: run.failed - notKept },
    failures: failures.filter(({ reason }) => reason !== REASON),
  }
  return { report: shown, notKept }
}

const NO_WEB: Fetcher = { fetch: () => () => {}, close: async () => {} }

type Plugins = NonNullable<RunnableConfig['plugins']>

function withoutHosts(plugin: Plugins[number]): Plugins[number] {
  const { admit: _admit, onAdmit: _onAdmit, onUnsent: _onUnsent, beforeRequest: _before, ...others } = plugin
  const { onResponse: _onResponse, onError: _onError, onRequired: _onRequired, ...rest } = others
  return rest
}

/** Nobody works on it. Its accepted patterns. */
async function free(path: string, from: string): Promise<readonly string[]> {
  if (!existsSync(path)) return []
  return readStore(path, async (reader) => {
    const { liveProcesses } = await reader.info()
    if (liveProcesses > 0)
      throw new AvocetError('AVO_FRONTIER_BUSY', `${from}: expected nobody to work on ${path}, but a process does; stop it first`)
    return [...acceptedPatterns(await reader.crawlMemories())]
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
      count = await frontier.reopen({ reasons: [REASON], limit: REOPENED_AT_ONCE })
  } finally {
    await frontier.close()
  }
}

/** At no moment is there no store at `path`. */
async function replace(path: string, next: string, now: number): Promise<string | undefined> {
  if (!existsSync(path)) {
    await rename(next, path)
    return undefined
  }
  // One that was not closed in good order has its last pages in a file beside it, which must not be taken for the new one's.
  const { frontier } = await openedAsItIs(path, now)
  await frontier.close()
  const before = besideStore(path, '.before')
  await removed(before)
  await link(path, before)
  await rename(next, path)
  return before
}

/** Removes a store of ours, whatever it has in it. Throws AVO_FRONTIER_FOREIGN for anything else. */
async function removed(path: string): Promise<void> {
  await checkOurs(path)
  for (const companion of COMPANIONS) await rm(`${path}${companion}`, { force: true })
}

/** A damaged store is ours too, and so is one of another version. */
const OURS = new Set(['AVO_FRONTIER_CORRUPT', 'AVO_FRONTIER_VERSION'])

async function checkOurs(path: string): Promise<void> {
  const entry = await lstat(path).catch(() => undefined)
  if (entry === undefined) return
  if (!entry.isFile())
    throw new AvocetError(
      'AVO_FRONTIER_FOREIGN',
      `--again: expected nothing or an earlier store at ${path}, got ${entry.isSymbolicLink() ? 'a link' : 'no file'}; move it away`,
    )
  await readStore(path, async () => undefined).catch((error: unknown) => {
    if (!(error instanceof AvocetError && OURS.has(error.code))) throw error
  })
}

/** What is said at the end. `command`: the same without `--again`. */
export function keptLines(
  {
    notKept,
    before,
    isFinished,
  }: { readonly notKept: number; readonly before: string | undefined; readonly isFinished: boolean },
  { command, folder }: { readonly command: string; readonly folder: string },
): string[] {
  if (!isFinished) return ['the handlers did not run over everything that is kept, so the store is as it was']
  const pages = notKept === 1 ? '1 page is not kept and waits' : `${notKept} pages are not kept and wait`
  const them = notKept === 1 ? 'it' : 'them'
  return [
    ...(notKept === 0 ? [] : [`${pages}: ${command} requests ${them}`]),
    ...(before === undefined ? [] : [`the store as it was before is ${nameFrom(folder, before)}`]),
  ]
}
