// `avocet simulate`: one's own spider and policies against a model of the web, on virtual time, and how its hosts were treated.
import { didYouMean, formatDuration } from '@avocet/core/plugin'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AvocetError } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import { modelFrom, WORLDS, type HostSpec, type SiteModel } from '@avocet/simulator'
import { writeDocument, print, say, type Place, commandName } from '@avocet/project/place'
import { labelled, printable, formatCount, formatCountOf, formatRatio } from '@avocet/project/text'
import { leftOutLines } from '@avocet/project/plan'
import { planSimulation, type SimulateOptions } from './plan.ts'
import type { Result, SlotSeconds } from './result.ts'
import { runSimulation, type Watching } from './run-simulation.ts'

/** Runs the simulation and prints its result; with `list` the names of the webs. */
export async function simulateCommand(options: SimulateOptions, place: Place): Promise<void> {
  const { stdout, stderr, clock, folder } = place
  if (options.list) return print(stdout, worldLines())
  const model = await worldOf(options.web, folder)
  const config = await planSimulation(options, model, place)
  say(stderr, leftOutLines(config, 'the simulation'))
  const startedAt = clock.monotonic()
  let progress: Disposable | undefined
  const watch = (look: () => Watching): void => {
    progress = tellProgress(place, look)
  }
  try {
    const result = await runSimulation({ name: options.web, model, config, hours: options.hours, seed: options.seed }, watch)
    say(stderr, speedLine(result.requests, clock.monotonic() - startedAt))
    if (options.json) return await writeDocument(stdout, result)
    await print(stdout, resultLines(result))
  } finally {
    progress?.[Symbol.dispose]()
  }
}

const LINE_MS = 2_000

/** Tells, until it is disposed. `look` is asked at each line. */
function tellProgress({ clock, stderr }: Pick<Place, 'clock' | 'stderr'>, look: () => Watching): Disposable {
  const startedAt = clock.monotonic()
  let next: Disposable
  const plan = (): void => {
    next = clock.at(clock.now() + LINE_MS, () => {
      say(stderr, simulationProgressLine(look(), clock.monotonic() - startedAt))
      plan()
    })
  }
  plan()
  return { [Symbol.dispose]: () => next[Symbol.dispose]() }
}

/** One line, such as `1 h 20 min: 9,411 pages, 12,000 requests per second, 4,800 × real time`. */
export function simulationProgressLine({ elapsedMs, status }: Watching, realMs: number): string {
  const perSecond = (status.run.requests * 1_000) / Math.max(1, realMs)
  const speed = `${formatCount(perSecond)} requests per second, ${formatCount(elapsedMs / Math.max(1, realMs))} × real time`
  return `${formatDuration(elapsedMs)}: ${formatCount(status.run.pages)} pages, ${speed}`
}

/** What a finished simulation took, in one line. */
function speedLine(requests: number, realMs: number): string {
  const perMinute = (requests * 60_000) / Math.max(1, realMs)
  return `simulated ${formatCount(requests)} requests in ${formatDuration(realMs)}, ${formatCount(perMinute)} per minute`
}

const row = labelled(15)

/** Lines, unfolded. */
export function resultLines(result: Result): string[] {
  return [
    `${result.web}, seed ${printable(result.seed)}, ${formatCountOf(result.slots, 'slot')}: ${result.policies.join(', ')}`,
    row('pages', pagesOf(result)),
    row('last page', lastPageOf(result)),
    row('requests', requestsOf(result)),
    ...result.refusedMost.map(({ host, requests, refused }, index) =>
      row(index === 0 ? 'refused most' : '', `${printable(host)}: ${formatCount(refused)} of ${formatCount(requests)}`),
    ),
    ...(result.rates === null ? [] : [row('found rates', ratesOf(result.rates))]),
    row('slot time', slotsOf(result.slotSeconds)),
    row('false timeouts', `${formatCount(result.falseTimeouts)} exchanges that would have finished within a minute`),
    row('dead hosts', `${formatCount(result.deadRequests)} requests to ${formatCountOf(result.deadHosts, 'host')}`),
    row('bans', `${formatCount(result.banned)} requests rejected by ${formatCountOf(result.bannedHosts, 'host')}`),
    ...result.failures
      .slice(0, 5)
      .map(({ reason, count }, index) => row(index === 0 ? 'failed' : '', `${formatCount(count)} × ${printable(reason)}`)),
    ...result.problems.slice(0, 5).map(({ message, count }) => row('problem', `${formatCount(count)} × ${printable(message)}`)),
  ]
}

function pagesOf({ pages, pagesPerHour, live }: Result): string {
  const left = live.waiting > 0 ? `; ${formatCount(live.waiting)} waiting at live hosts` : ''
  const lost = live.failed > 0 ? `; ${formatCount(live.failed)} failed at live hosts` : ''
  return `${formatCount(pages)} (${formatCount(pagesPerHour)} per hour)${left}${lost}`
}

function lastPageOf({ makespanMs, elapsedMs, oracle }: Result): string {
  if (makespanMs === null) return `not within ${formatDuration(elapsedMs)}`
  const after = `after ${formatDuration(makespanMs)}`
  return oracle === null
    ? after
    : `${after}, ${oracle.times.toFixed(2)} times the ${formatDuration(oracle.boundMs)} of a client that knows all limits`
}

function requestsOf({ requests, refused, refusedRatio, duringRetryAfter }: Result): string {
  const early = duringRetryAfter > 0 ? `, ${formatCount(duringRetryAfter)} during a Retry-After` : ''
  return `${formatCount(requests)}, ${formatCount(refused)} refused (${formatRatio(refusedRatio)})${early}`
}

function ratesOf({ hosts, median, low, high }: NonNullable<Result['rates']>): string {
  const most = `8 in 10 between ${formatRatio(low)} and ${formatRatio(high)}`
  return `median ${formatRatio(median)} of the capacity, over ${formatCountOf(hosts, 'host')}; ${most}`
}

function slotsOf({ all, served, refused, banned, failed, parked }: SlotSeconds): string {
  const part = (seconds: number, what: string): string => `${formatRatio(seconds / Math.max(all, 1e-9))} ${what}`
  const parts = [
    part(served, 'served'),
    part(failed, 'network errors'),
    part(refused, 'refused'),
    part(banned, 'banned'),
    part(parked, 'parked'),
  ]
  return `${formatDuration(all * 1_000)}: ${parts.join(', ')}`
}

// The web that a simulation runs against: one of the testkit's worlds by name, or a model in a file.

/**
 * The world called `name`, or the model in the JSON file of that name.
 *
 * @throws AVO_USAGE when there is neither, AVO_CONFIG_INVALID when the file holds no model.
 */
export async function worldOf(name: string, folder: string): Promise<SiteModel> {
  const make = Object.hasOwn(WORLDS, name) ? WORLDS[name] : undefined
  if (make) return make()
  if (name.endsWith('.json')) return modelIn(resolve(folder, name))
  const hint = didYouMean(name, Object.keys(WORLDS)) || `; ${commandName()} simulate --list names them`
  throw new AvocetError('AVO_USAGE', `--web: expected the name of a web or a .json file, got '${name}'${hint}`)
}

async function modelIn(path: string): Promise<SiteModel> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new AvocetError('AVO_USAGE', `--web: expected a file that can be read, got ${messageOf(error)}`, { cause: error })
  })
  try {
    return modelFrom(JSON.parse(text))
  } catch (error) {
    throw new AvocetError('AVO_CONFIG_INVALID', `${path}: ${messageOf(error)}`, { cause: error })
  }
}

/** A line for each world: its name, and how large it is. */
function worldLines(): string[] {
  const names = Object.keys(WORLDS)
  const columns = Math.max(...names.map((name) => name.length))
  return Object.entries(WORLDS).map(([name, make]) => `${name.padEnd(columns)}  ${sizeOf(make().hosts)}`)
}

function sizeOf(hosts: readonly HostSpec[]): string {
  const count = (has: (host: HostSpec) => boolean): number => hosts.filter(has).length
  const limited = count(({ capacity }) => capacity !== undefined)
  const dead = count(({ death }) => death !== undefined)
  const pages = hosts.reduce((sum, host) => sum + pagesOfHost(host), 0)
  return [
    formatCountOf(hosts.length, 'host'),
    `about ${formatCount(pages)} pages`,
    ...(limited > 0 ? [`${formatCount(limited)} with a limit`] : []),
    ...(dead > 0 ? [`${formatCount(dead)} dead`] : []),
  ].join(', ')
}

function pagesOfHost({ pages }: HostSpec): number {
  if (pages.kind === 'shop') return pages.products
  if (pages.kind === 'directory') return 1
  return pages.kind === 'quotes' ? Math.ceil(pages.quotes / (pages.perPage ?? 10)) : pages.pages
}
