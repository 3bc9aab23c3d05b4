// The opening of a run on a store that is open: plugins open, the schedule is brought in line, seeds are offered.
import type { Request } from '../ports/request.ts'
import type { CrawlInfo } from '../ports/crawl-info.ts'
import { bindPlugins } from '../hooks/bind-plugins.ts'
import { crawlScope, type Bounds } from './crawl-scope.ts'
import { HANDLER_UNKNOWN, OUT_OF_SCOPE, exclusionsOf, exclusionText } from '../discovery/closed-requests.ts'
import { CrawlTexts } from '../hosts/crawl-texts.ts'
import { opened } from './open-and-close.ts'
import { reasonOf } from '../ports/failure.ts'
import type { OrderNews } from '../ports/orders.ts'
import type { Session } from '../ports/session.ts'
import type { Run } from '../run/run.ts'
import { AddedUrls } from '../discovery/added-urls.ts'
import type { FirstSeeds, SeedFlow } from '../discovery/seed-flow.ts'
import { SeedOrigins, type SeedPart } from '../discovery/seed-origins.ts'
import { hostKeyOf, hostnameOf } from '../url/host-key.ts'
import type { Seed } from '../ports/seed.ts'
import { offerSeeds, type CheckedSeed } from '../discovery/seeds.ts'
import type { CoreCrawlMemory } from '../hosts/core-memory.ts'
import { LinkBudgets, SiteHosts } from '../discovery/link-budgets.ts'
import { hash } from 'node:crypto'
import type { Frontier } from '../ports/frontier.ts'
import type { RevisitPlan } from '../ports/revisit.ts'
import type { StoreCalls } from '../run/store-calls.ts'

/** In one transaction. */
const REOPENED_AT_ONCE = 1_000
/** URLs that plugins may add when they open: they keep what they add in memory. */
const MAX_ADDED = 10_000

/** What the opening was given, and what it found. */
interface Opening {
  readonly info: CrawlInfo
  readonly seeds: FirstSeeds
  readonly flow: SeedFlow
}

/** What a run begins with. */
export type Opened = Omit<Bounds, 'takeSeeds'> & {
  /** Seeds that were read, or added: their hosts belong to the crawl. */
  readonly takeSeeds: (urls: readonly string[], part?: SeedPart) => Promise<void>
  readonly budgets: LinkBudgets
  readonly flow: SeedFlow
  /** What was ordered before. */
  readonly ordered: Omit<OrderNews, 'stop'>
}

/** Opens a run. Throws AVO_PLUGIN_OPEN, AVO_SINK_OPEN, and what the store throws when it is not waited for any more. */
export async function openRun(parts: Run, { info, seeds: { first, urls }, flow }: Opening): Promise<Opened> {
  const { settings, hooks, memories, tally, calls, revisits } = parts
  const { frontier, clock } = settings
  const { origins, ordered } = await seedsBefore(parts, info)
  const earlier = origins.urls
  const seedHosts = new Set([...urls, ...earlier].map((url) => hostKeyOf(url, settings.hostKeying)))
  const { given, again } = await openPlugins(parts, info, seedHosts)
  await parts.sinks.open()
  await updateSchedule(parts, info)
  // Hosts that earlier runs gave up are asked again: while this one watches at their own moments, otherwise now.
  const from = revisits.isRevisiting ? Infinity : clock.now()
  if (info.resumed) await calls.make('probes', () => frontier.change({ kind: 'probe-retired', from, now: clock.now() }))
  const before = { ...memories.core }
  const scope = crawlScope(urls, { settings, hooks, memories, sees: revisits.sees, earlier })
  const reopened = info.resumed ? await reopen(parts, before, again) : 0
  // A run that commits nothing has a scope as well, a store that it set back, and the plugins of its run. It is known only once what the scope lets in again
  // waits: to a run after a kill it would not be new.
  const memory = memories.changedCrawl()
  if (memory !== undefined) await calls.make('memory', () => frontier.note(memory))
  const budgets = budgetsOf(parts, [...urls, ...earlier])
  await origins.keep(urls, 'core:seeds')
  tally.resumes(info)
  tally.reopened(reopened)
  await flow.before(first, scope.discoveries)
  await offerSeeds(given, scope.discoveries, parts)
  const takeSeeds: Opened['takeSeeds'] = async (later, part = 'core:seeds') => {
    await origins.keep(later, part)
    scope.takeSeeds(later)
    for (const url of later) {
      seedHosts.add(hostKeyOf(url, settings.hostKeying))
      budgets.takeSeed(hostnameOf(hostKeyOf(url, 'host')))
    }
  }
  return { ...scope, takeSeeds, budgets, flow, ordered }
}

/** The sites of seeds that earlier runs had, once the orders of operators are read. A stop that came as this process signed in is for it, too. */
async function seedsBefore(run: Run, info: CrawlInfo): Promise<Pick<Opened, 'ordered'> & { readonly origins: SeedOrigins }> {
  const { frontier, orders } = run.settings
  const { stop, ...ordered } = await run.calls.make('orders', async () =>
    (await orders.load()).hear(frontier.reader, info.orderedAt),
  )
  if (stop !== undefined) run.stop(stop === 'now')
  return { origins: new SeedOrigins(run, info), ordered }
}

/**
 * Has requests wait again that earlier runs settled unsent, and this one may send: where it was not given the secret, or has not the plugin either, it is
 * failed again. `again`: what plugins left, by reason. Returns how many.
 */
async function reopen(run: Run, before: CoreCrawlMemory, again: readonly string[]): Promise<number> {
  const { settings, memories, calls } = run
  const { frontier } = settings
  const { scope } = memories.core
  const isScopeNew = scope?.rules === undefined || JSON.stringify(scope) !== JSON.stringify(before.scope)
  const reasons = [reasonOf('AVO_SECRET_UNKNOWN'), ...again, HANDLER_UNKNOWN, ...(isScopeNew ? [OUT_OF_SCOPE] : [])]
  return calls.make('what was refused', async () => {
    let count = 0
    for (let batch = REOPENED_AT_ONCE; batch === REOPENED_AT_ONCE; count += batch)
      batch = await frontier.change({ kind: 'reopen', reasons, limit: REOPENED_AT_ONCE })
    return count
  })
}

/** Header fields of the configuration that may have been sent with it. */
function sentIn({ session = '' }: Request, { headers, sessions }: Run['settings']): Readonly<Record<string, string>> {
  return { ...headers, ...sessions.get(session)?.headers }
}

/** Plugins meet the memory of earlier runs. Returns what they add, and the reasons of requests that are to wait again. */
async function openPlugins(
  run: Run,
  info: CrawlInfo,
  seedHosts: ReadonlySet<string>,
): Promise<{ readonly given: readonly CheckedSeed[]; readonly again: readonly string[] }> {
  const { settings, hooks, memories, stations, tally, calls } = run
  const { clock, plugins, userAgent } = settings
  const hostOptions = settings.hostOptions('*')
  using _hold = calls.hold('opening')
  memories.openCrawl(info.crawlMemories, info.setBackMs ?? 0)
  const { codec } = settings
  const { secretParameters = [] } = memories.core
  if (secretParameters.length > 0) await codec.load()
  codec.current.learn(secretParameters)
  bindPlugins(hooks, plugins, { memories, stations, notices: () => tally.notices })
  const keepable: Session['keepable'] = async () => {
    await codec.load()
    return (answer) => codec.current.kept({ ...answer, sent: sentIn(answer.request, settings) })
  }
  const said = { userAgent, plugins, hostOptions, keepable, revisits: run.revisits.take }
  const added = new AddedUrls(run, MAX_ADDED)
  const texts = (memories.texts = new CrawlTexts({ clock, info, pluginError: (message) => stations.fault(message) }))
  const kept: Pick<Session, 'keep' | 'left'> = { keep: (name, text) => texts.keep(name, text), left: (name) => texts.left(name) }
  const again: string[] = []
  const told = {
    problem: tally.problem,
    notice: tally.notice,
    add: (seed: Seed) => added.add(seed),
    isSeedHost: (hostKey: string) => seedHosts.has(hostKey),
    hasAllSeeds: typeof settings.spider.seeds !== 'function',
    reopens: (reason: string) => void again.push(reason),
    accepted: new Set(settings.orders.part.accepted),
    ...kept,
    ...(plugins.some(({ exitOf }) => exitOf !== undefined) && { exitOf: exitOf(run) }),
    ...besides(run),
  }
  await opened(hooks.open.promise({ info, now: clock.now(), clock, ...said, ...told }), { clock, stations })
  added.close()
  return { given: added.seeds, again }
}

/** What those need who look on beside the crawl. */
function besides(run: Run): Pick<Session, 'reader' | 'status' | 'claim' | 'save' | 'hasten' | 'addressOf'> {
  const { settings, calls, memories, status, gained } = run
  const { frontier, fetcher } = settings
  return {
    reader: frontier.reader,
    status,
    addressOf: (hostname) => (fetcher.part.addressOf ? fetcher.part.addressOf(hostname) : ''),
    // Apart from the names of sinks.
    claim: (name) => calls.make('claim', () => frontier.sinks.claim(`plugin ${name}`)),
    async save() {
      const memory = memories.changedCrawl()
      if (memory !== undefined) await calls.make('memory', () => frontier.note(memory))
    },
    async hasten(hostKey, wanted) {
      await calls.make(`visits of ${hostKey}`, () => frontier.change({ kind: 'revisit', wanted }))
      gained([{ hostKey, count: 0, topPriority: -Infinity }])
    },
  }
}

function exitOf({ settings, memories }: Run): Session['exitOf'] & {} {
  const { plugins } = settings
  return (of) => plugins.map((plugin, index) => plugin.exitOf?.(of, memories.crawl[index])).find((exit) => exit !== undefined)
}

/** The budgets of links. `seeds`: their URLs. */
function budgetsOf({ settings, tally }: Run, seeds: readonly string[]): LinkBudgets {
  const { spider, clock, discoveryLimits: limits } = settings
  const named = [...seeds, ...(spider.scope?.hosts ?? []).map((host) => `http://${host}/`)]
  return new LinkBudgets({
    limits,
    accepted: new Set(settings.orders.part.accepted),
    sites: new SiteHosts(limits.maxHostsPerSite),
    named: new Set(named.map((url) => hostnameOf(hostKeyOf(url, 'host')))),
    now: () => clock.now(),
    problem: tally.problem,
  })
}

/** Part of the crawl memory: by which plans the schedule of the store was worked out. What settles pages past a crawl removes it. */
const SCHEDULE_PART = 'core:schedule'
const PAGE = 1_000

type DueAt = RevisitPlan['dueAt']

/**
 * Has pages be due again as plugins plan it, and those that none plans any more, or the scope excludes by now, not. Only if the plans are others than those
 * that the store has seen: each of several processes would read all that was ever settled, and what is settled meanwhile gets its moment with its outcome.
 */
async function updateSchedule({ settings, calls, revisits }: Run, info: CrawlInfo): Promise<void> {
  const { frontier } = settings
  const marks = info.crawlMemories.flatMap((memory) => memory[SCHEDULE_PART] ?? [])
  const mark = JSON.stringify(hash('sha1', `${revisits.rules}\n${exclusionText(settings)}`))
  if (info.setBackMs === undefined && marks.length > 0 && marks.every((each) => each === mark)) return
  const exclusionOf = exclusionsOf(settings)
  const dueAt: DueAt = (record) => (exclusionOf(record) === undefined ? revisits.dueAt(record) : undefined)
  if (info.settled > 0 && (revisits.isRevisiting || info.again !== undefined)) await workOut(frontier, calls, dueAt)
  // Known only once it is worked out: a run that is killed meanwhile leaves it to the next.
  if (revisits.isRevisiting || marks.length > 0) await calls.make('schedule', () => frontier.note({ [SCHEDULE_PART]: mark }))
}

async function workOut(frontier: Frontier, calls: StoreCalls, dueAt: DueAt): Promise<void> {
  for (const state of ['done', 'failed', 'moved'] as const)
    for (let afterId = 0, isMore = true; isMore;) {
      const query = { state, afterId, limit: PAGE }
      const page = await calls.make('schedule', () => frontier.reader.requests(query))
      const wanted = page.flatMap((each) => {
        const at = dueAt(each)
        return at === each.notBefore ? [] : [{ id: each.id, ...(at !== undefined && { at }) }]
      })
      if (wanted.length > 0) await calls.make('revisit', () => frontier.change({ kind: 'revisit', wanted }))
      afterId = page.at(-1)?.id ?? 0
      isMore = page.length === PAGE
    }
}
