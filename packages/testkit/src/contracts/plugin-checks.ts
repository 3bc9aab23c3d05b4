// The promises of a plugin, each as a check that crawls simulated worlds and reports what was broken. `pluginContract` makes tests of them.
import type { CrawlReport, Plugin } from '@avocet/core'
import { formatDuration } from '@avocet/core/plugin'
import type { FrontierReader } from '@avocet/core/store'
import { shuffled, type SiteModel } from '@avocet/simulator'
import { memoryFrontier } from '@avocet/store-memory'
import { companions, contractCrawl, steadyWorld, troubledWorld, type ContractRun } from './contract-crawl.ts'
import { CrashStore, type CrashPoint } from './crash-store.ts'
import { Inspection, watched } from './watched-plugin.ts'

/** Makes the plugin, or a set of plugins that belong together. Called once per crawl: state that it shares between calls is part of the test. */
export type MakePlugins = () => Plugin | readonly Plugin[]

/** Options of the checks. */
export interface PluginCheckOptions {
  /** Other plugins of the crawl. Default: a few that delay hosts, vote and keep memory. */
  readonly companions?: () => readonly Plugin[]
  /** World for every check but the resume. Default: hosts that hang, refuse, reset, flap and recover beside healthy ones. */
  readonly hostile?: SiteModel
  /** World for the resume: the outcome of a URL must not depend on when it is requested. Default: quick, slow and overloaded hosts. */
  readonly steady?: SiteModel
  /** Where the crawl is cut off. Default: six moments, half of them with the last commit written but not acknowledged. */
  readonly cuts?: readonly CrashPoint[]
}

/** Broken promises in words; empty if there are none. */
export type Findings = readonly string[]

/** Orders that are tried, beside the given one. */
const ORDERS = 6

/** How far the clock goes back between two runs, ms: less than is noticed, five minutes, two hours, a year. */
const SETBACKS_MS = [4_000, 300_000, 7_200_000, 365 * 86_400_000]
/** What a setback may cost beside the time that the rest of the crawl takes anyway. */
const SETBACK_COSTS_MS = 600_000
/** What core says of a setback. */
const SAID = /^the clock is /

/** Where a crawl is cut, as shares of the commits of a whole one. */
const CUT_RATIOS = [0, 0.1, 0.25, 0.5, 0.75, 1]

/** The order of plugins decides nothing: decision log and memory are the same, byte for byte, in every order. */
export async function checkOrder(make: MakePlugins, options: PluginCheckOptions = {}): Promise<Findings> {
  const model = options.hostile ?? troubledWorld()
  const straight = await contractCrawl({ model, plugins: all(make, options) })
  const findings: string[] = []
  for (const order of ordersOf(all(make, options).length)) {
    const plugins = all(make, options)
    const permuted = order.flatMap((place) => plugins[place] ?? [])
    const run = await contractCrawl({ model, plugins: permuted })
    const names = permuted.map(({ name }) => name).join(', ')
    findings.push(...differences(straight, run).map((difference) => `in the order ${names}: ${difference}`))
  }
  return findings
}

/** The same seed decides the same: no clock but the crawl's, no dice but the exchange's. */
export async function checkDeterminism(make: MakePlugins, options: PluginCheckOptions = {}): Promise<Findings> {
  const model = options.hostile ?? troubledWorld()
  const first = await contractCrawl({ model, plugins: all(make, options) })
  const second = await contractCrawl({ model, plugins: all(make, options) })
  return differences(first, second).map((difference) => `in a second crawl with the same seed: ${difference}`)
}

/** `admit` writes nothing, memory is plain JSON within its cap, each booking ends once, nothing throws, and the crawl comes to its end. */
export async function checkConduct(make: MakePlugins, options: PluginCheckOptions = {}): Promise<Findings> {
  const { plugins, inspections } = watchedAll(all(make, options))
  const model = options.hostile ?? troubledWorld()
  const { report } = await contractCrawl({ model, plugins })
  const findings = inspections.flatMap(({ plugin, inspection }) =>
    [...inspection.findings, ...inspection.open.map((booking) => `booking ${booking} never ended`)].map(
      (finding) => `${plugin}: ${finding}`,
    ),
  )
  for (const { message } of report?.problems ?? []) findings.push(`the crawl had a problem: ${message}`)
  for (const { hostKey, reason } of report?.retiredHosts ?? []) {
    if (isWell(model, hostKey)) findings.push(`${hostKey} is well, and yet was given up: ${reason}`)
  }
  if (report?.ended !== 'done' && report?.ended !== 'given-up')
    findings.push(`the crawl ended as ${report?.ended ?? 'cut off'}: ${report?.why ?? ''}`)
  return findings
}

/** A crawl that is cut off and resumed settles the same URLs with the same items, and is handed the memory that was committed. */
export async function checkResume(make: MakePlugins, options: PluginCheckOptions = {}): Promise<Findings> {
  const model = options.steady ?? steadyWorld()
  const inner = memoryFrontier()
  const store = new CrashStore(inner)
  await contractCrawl({ model, plugins: all(make, options), store })
  const whole = await leftIn(inner.reader)
  const findings: string[] = []
  for (const cut of options.cuts ?? cutsOf(store.commits)) {
    const at = `cut ${cut.written ? 'after' : 'before'} commit ${String(cut.commit)} was written`
    findings.push(...(await resumed(make, options, cut, whole)).map((finding) => `${at}: ${finding}`))
  }
  return findings
}

/** A clock that goes back between two runs costs little time, no page and no host, and makes no plugin throw. */
export async function checkClock(make: MakePlugins, options: PluginCheckOptions = {}): Promise<Findings> {
  const model = options.steady ?? steadyWorld()
  const inner = memoryFrontier()
  const store = new CrashStore(inner)
  await contractCrawl({ model, plugins: all(make, options), store })
  const whole = await leftIn(inner.reader)
  // Soon after the first contact, when laws know least, and in the middle.
  const cuts =
    options.cuts ?? [0.1, 0.5].map((ratio) => ({ commit: Math.max(1, Math.round(ratio * store.commits)), written: true }))
  const findings: string[] = []
  for (const cut of cuts) {
    const straightMs = (await cutAndResumed(make, options, cut, 0)).tookMs
    for (const backMs of SETBACKS_MS) {
      const { report, tookMs, left, startAt } = await cutAndResumed(make, options, cut, backMs)
      const found = firstDifference('what is settled', whole, left)
      for (const { message } of report?.problems ?? []) if (!SAID.test(message)) found.push(`the crawl had a problem: ${message}`)
      for (const { hostKey, reason } of report?.retiredHosts ?? [])
        found.push(`${hostKey} is well, and yet was given up: ${reason}`)
      if (report?.ended !== 'done') found.push(`the crawl ended as ${report?.ended ?? 'cut off'}: ${report?.why ?? ''}`)
      // A plugin that looks at the time of day may hold every crawl that begins then.
      if (
        isDear(tookMs, straightMs) &&
        isDear(tookMs, (await contractCrawl({ model, plugins: all(make, options), startAt })).endedAt - startAt)
      )
        found.push(`the rest took ${formatDuration(tookMs)} instead of ${formatDuration(straightMs)}`)
      findings.push(
        ...found.map((finding) => `clock back by ${formatDuration(backMs)} after commit ${String(cut.commit)}: ${finding}`),
      )
    }
  }
  return findings
}

async function cutAndResumed(
  make: MakePlugins,
  options: PluginCheckOptions,
  cut: CrashPoint,
  backMs: number,
): Promise<{
  readonly report: CrawlReport | undefined
  readonly tookMs: number
  readonly left: readonly string[]
  readonly startAt: number
}> {
  const model = options.steady ?? steadyWorld()
  const inner = memoryFrontier()
  const store = new CrashStore(inner)
  const first = await contractCrawl({ model, plugins: all(make, options), store, cut })
  const startAt = first.endedAt - backMs
  const { report, endedAt } = await contractCrawl({ model, plugins: all(make, options), store, startAt })
  return { report, tookMs: endedAt - startAt, left: await leftIn(inner.reader), startAt }
}

function isDear(tookMs: number, otherwiseMs: number): boolean {
  return tookMs > 2 * otherwiseMs + SETBACK_COSTS_MS
}

async function resumed(
  make: MakePlugins,
  options: PluginCheckOptions,
  cut: CrashPoint,
  whole: readonly string[],
): Promise<string[]> {
  const model = options.steady ?? steadyWorld()
  const inner = memoryFrontier()
  const store = new CrashStore(inner)
  const { endedAt, report } = await contractCrawl({ model, plugins: all(make, options), store, cut })
  if (report !== undefined) return [`the crawl was over after ${String(store.commits)} commits, so this cut tries nothing`]
  const committed = structuredClone(store.hostMemory)
  const { plugins, inspections } = watchedAll(all(make, options))
  await contractCrawl({ model, plugins, store, startAt: endedAt })
  const forgotten = inspections.flatMap(({ plugin, inspection }) =>
    [...inspection.firstMemory].flatMap(([host, memory]) => {
      const text = committed.get(host)?.[plugin]
      return text === undefined || text.includes(memory)
        ? []
        : [`${plugin} was handed ${memory} of ${host}, committed was ${text}`]
    }),
  )
  return [...forgotten, ...firstDifference('what is settled', whole, await leftIn(inner.reader))]
}

function cutsOf(commits: number): CrashPoint[] {
  return CUT_RATIOS.map((ratio, n) => ({ commit: Math.max(1, Math.round(ratio * commits)), written: n % 2 === 0 }))
}

/** Whether a host may be slow or refuse, but always lives. */
function isWell({ hosts }: SiteModel, hostKey: string): boolean {
  return hosts.some(({ name, death, outages, flapping }) => name === hostKey && death === undefined && !outages && !flapping)
}

/** Each plugin with an inspector of its own. */
function watchedAll(plugins: readonly Plugin[]): {
  readonly plugins: readonly Plugin[]
  readonly inspections: readonly { readonly plugin: string; readonly inspection: Inspection }[]
} {
  const inspections = plugins.map(({ name }) => ({ plugin: name, inspection: new Inspection() }))
  return { plugins: plugins.map((plugin, n) => watched(plugin, inspections[n]?.inspection ?? new Inspection())), inspections }
}

/** Everything settled and every item, one line each, sorted. */
async function leftIn(reader: FrontierReader): Promise<readonly string[]> {
  const requests = await reader.requests({ limit: 100_000 })
  const items = await reader.items({ afterSeq: 0, limit: 100_000 })
  return [
    ...requests.map(({ url, handler, state, reason = '' }) => `${url} ${handler} ${state} ${state === 'failed' ? reason : ''}`),
    ...items.map(({ url, ordinal, json }) => `${url} item ${String(ordinal)} ${json}`),
  ].sort()
}

function own(make: MakePlugins): readonly Plugin[] {
  const made = make()
  return Array.isArray(made) ? (made as readonly Plugin[]) : [made as Plugin]
}

function all(make: MakePlugins, options: PluginCheckOptions): readonly Plugin[] {
  return [...own(make), ...(options.companions ?? companions)()]
}

/** Orders other than the given one: its reverse, and random ones. */
function ordersOf(count: number): number[][] {
  const straight = Array.from({ length: count }, (_, place) => place)
  const random = Array.from({ length: ORDERS - 1 }, (_, n) => shuffled(straight, `order ${String(n)}`))
  return [straight.toReversed(), ...random]
}

function differences(a: ContractRun, b: ContractRun): string[] {
  return [...firstDifference('the decision log', a.log, b.log), ...firstDifference('memory', a.memory, b.memory)]
}

function firstDifference(what: string, a: readonly string[], b: readonly string[]): string[] {
  for (let n = 0; n < Math.max(a.length, b.length); n++) {
    if (a[n] !== b[n]) return [`${what} differs at line ${String(n + 1)}: "${a[n] ?? '(end)'}" became "${b[n] ?? '(end)'}"`]
  }
  return []
}
