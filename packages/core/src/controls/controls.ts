// All that operators have ordered of a crawl, as one state that is joined in any order: each order is a register with a moment, and the later one holds.
//
// It is a part of the crawl's memory (`core:controls`), so it is committed before anybody hears of it, travels with the store, and reaches every process that
// has the store open. A process writes what it knows, joined with what it adds; copies of processes that died are taken over by whoever writes next. Moments
// of one author never repeat: an order is later than all that its author knows. Source: last-writer-wins registers, Shapiro et al. 2011, "A comprehensive study
// of convergent and commutative replicated data types", §3.2.1.
import { createHash } from 'node:crypto'
import { AvocetError } from '../errors.ts'
import type { MemoryParts } from '../frontier-reader.ts'
import { UNTIL_RESUMED } from '../until-resumed.ts'
import { assertControl, assertGivenUpChange, type AddedSeed, type Control, type GivenUpChange } from './control.ts'
import {
  joinedHosts,
  laterRegister,
  orderedAt,
  REGISTERS,
  withoutSpent,
  type HostControl,
  type HostControls,
  type Register,
} from './host-controls.ts'

/** Name of the part of the crawl's memory. */
const CONTROLS_PART = 'core:controls'
const VERSION = 1

/** Hosts with orders of their own, in one crawl. */
const MAX_HOSTS = 10_000
/** Sites that added seeds opened, and URLs that wait to be offered: the state is read and written as a whole. */
const MAX_ORIGINS = 20_000
const MAX_PENDING = 20_000
/** Two orders to stop within it may be heard as one. */
const HEARD_WITHIN_MS = 5_000
/** Orders that are listed, and batches of seeds that are known to be offered. */
const MAX_LISTED = 200
const MAX_OFFERED = 1_000

/** An order as it is listed, or what was done to given-up pages. */
export interface ListedControl {
  readonly at: number
  readonly control: Control | GivenUpChange
}

/** The state. */
export interface Controls extends HostControls {
  /** Whether the whole crawl is paused. */
  readonly paused?: Register<boolean>
  readonly stop?: Register<'gently' | 'now'>
  /** Batches that no run is known to have offered. */
  readonly seeds: readonly Register<readonly AddedSeed[]>[]
  /** Names of batches that were offered, as `batchName` gives them. */
  readonly offered: readonly string[]
  /** Sites of all seeds that were ever added: they belong to the crawl. */
  readonly origins: readonly string[]
  /** Orders for hosts up to this moment (epoch ms) have been carried out also where no process held the host. */
  readonly carriedOut: number
  /** The last orders, oldest first. */
  readonly listed: readonly ListedControl[]
}

/** Nothing was ordered. */
export const NO_CONTROLS: Controls = { hosts: {}, horizon: 0, seeds: [], offered: [], origins: [], carriedOut: 0, listed: [] }

/** What all processes of a crawl know of orders. */
export function controlsIn(crawlMemories: readonly MemoryParts[]): Controls {
  return crawlMemories.reduce((controls, parts) => joinedControls(controls, savedIn(parts[CONTROLS_PART])), NO_CONTROLS)
}

/** The part, as it is written. */
export function controlsPart(controls: Controls): MemoryParts {
  return { [CONTROLS_PART]: JSON.stringify([VERSION, controls]) }
}

function savedIn(text: string | undefined): Controls {
  try {
    const [version, saved] = JSON.parse(text ?? '[0]') as [number, Partial<Controls>?]
    return version === VERSION && typeof saved === 'object' ? { ...NO_CONTROLS, ...saved } : NO_CONTROLS
  } catch {
    return NO_CONTROLS
  }
}

/** Both states. */
export function joinedControls(a: Controls, b: Controls): Controls {
  const offered = new Set([...a.offered, ...b.offered])
  const seeds = new Map([...a.seeds, ...b.seeds].map((batch) => [batchName(batch), batch]))
  const listed = new Map([...a.listed, ...b.listed].map((each) => [JSON.stringify(each), each]))
  const [paused, stop] = [laterRegister(a.paused, b.paused), laterRegister(a.stop, b.stop)]
  return {
    ...(paused && { paused }),
    ...(stop && { stop }),
    ...joinedHosts(a, b),
    seeds: [...seeds]
      .filter(([name]) => !offered.has(name))
      .toSorted(byName)
      .map(([, batch]) => batch),
    offered: [...offered].toSorted().slice(-MAX_OFFERED),
    carriedOut: Math.max(a.carriedOut, b.carriedOut),
    origins: [...new Set([...a.origins, ...b.origins])].toSorted().slice(0, MAX_ORIGINS),
    listed: [...listed]
      .toSorted(byMoment)
      .map(([, each]) => each)
      .slice(-MAX_LISTED),
  }
}

/** Two processes may add seeds in one moment: of a batch its moment, in digits that sort, and a hash of its seeds. */
export function batchName({ at, value }: Register<readonly AddedSeed[]>): string {
  const hash = createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 10)
  return `${at.toString().padStart(15, '0')} ${hash}`
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

function byMoment(a: readonly [string, ListedControl], b: readonly [string, ListedControl]): number {
  return a[1].at - b[1].at || byName(a, b)
}

/** The state after one more order at `now` (epoch ms). Throws AVO_USAGE for one that cannot be carried out, or that is one too many. */
export function controlled(controls: Controls, control: Control, now: number): Controls {
  assertControl(control)
  const at = nextMoment(controls, now)
  const after = carriedOut(withRoom(controls, now), control, at)
  const pending = after.seeds.reduce((sum, { value }) => sum + value.length, 0)
  assertFew(
    Object.keys(after.hosts).length,
    MAX_HOSTS,
    'hosts with orders in one crawl; set what holds for many hosts in the configuration',
  )
  assertFew(
    pending,
    MAX_PENDING,
    'added URLs that no run has taken yet; run the crawl first, or give it the URLs with --seeds FILE',
  )
  assertFew(after.origins.length, MAX_ORIGINS, 'sites of added URLs in one crawl; give it the URLs with --seeds FILE')
  return listedIn(after, { at, control: shortened(control) })
}

/** The state after given-up pages were changed in the store, at `now` (epoch ms): it is listed, and orders nothing. Throws AVO_USAGE. */
export function withGivenUpChange(controls: Controls, change: GivenUpChange, now: number): Controls {
  assertGivenUpChange(change)
  return listedIn(controls, { at: nextMoment(controls, now), control: change })
}

function listedIn(controls: Controls, listed: ListedControl): Controls {
  return { ...controls, listed: [...controls.listed, listed].slice(-MAX_LISTED) }
}

function nextMoment(controls: Controls, now: number): number {
  return Math.max(Math.floor(now), latestOf(controls) + 1)
}

/** Throws AVO_USAGE. */
function assertFew(count: number, most: number, what: string): void {
  const [of, hint] = what.split('; ')
  if (count > most) throw new AvocetError('AVO_USAGE', `expected at most ${most} ${of}, got ${count}; ${hint}`)
}

/** Without what is over, once there are as many hosts as there may be. */
function withRoom(controls: Controls, now: number): Controls {
  if (Object.keys(controls.hosts).length < MAX_HOSTS) return controls
  return { ...controls, ...withoutSpent(controls, { carriedOut: controls.carriedOut, now }) }
}

function carriedOut(controls: Controls, control: Control, at: number): Controls {
  if (control.kind === 'pause' || control.kind === 'resume')
    return { ...controls, paused: { at, value: control.kind === 'pause' } }
  if (control.kind === 'stop') return { ...controls, stop: { at, value: loudest(control, controls.stop, at) } }
  if (control.kind === 'add') {
    const origins = [...new Set([...controls.origins, ...control.seeds.map(({ url }) => new URL(url).origin)])]
    return { ...controls, origins, seeds: [...controls.seeds, { at, value: control.seeds }] }
  }
  const before = controls.hosts[control.hostKey] ?? {}
  return { ...controls, hosts: { ...controls.hosts, [control.hostKey]: { ...before, ...hostRegisters(control, at) } } }
}

/** Both may be heard at once: who said `now` a moment ago is not overruled by who did not. */
function loudest(control: Extract<Control, { kind: 'stop' }>, before: Controls['stop'], at: number): 'gently' | 'now' {
  return control.now === true || (before?.value === 'now' && at - before.at < HEARD_WITHIN_MS) ? 'now' : 'gently'
}

function hostRegisters(control: Extract<Control, { hostKey: string }>, at: number): HostControl {
  if (control.kind === 'pause-host') return { pausedUntil: { at, value: control.until ?? UNTIL_RESUMED } }
  if (control.kind === 'resume-host') return { pausedUntil: { at, value: 0 } }
  if (control.kind === 'forget-host') return { forgotten: { at, value: true } }
  const set = Object.entries(control.limits).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set.map(([name, value]) => [name, { at, value }]))
}

/** What is listed of URLs: the first few, without what may be a secret in them. It is kept for long. */
function shortened(control: Control): Control {
  if (control.kind !== 'add') return control
  const seeds = control.seeds.slice(0, 3).map((seed) => {
    const { origin, pathname } = new URL(seed.url)
    return { ...seed, url: origin + pathname }
  })
  return { ...control, seeds }
}

/** Says up to which moment orders for hosts have been carried out. */
export function withCarriedOut(controls: Controls, at: number): Controls {
  return joinedControls(controls, { ...NO_CONTROLS, carriedOut: at })
}

/** Says that these batches are in the store. */
export function withOffered(controls: Controls, batches: readonly string[]): Controls {
  return joinedControls(controls, { ...NO_CONTROLS, offered: batches })
}

function latestOf({ paused, stop, hosts, horizon, seeds, offered, listed }: Controls): number {
  const moments = [paused, stop, ...seeds, ...listed].map((each) => each?.at ?? 0)
  const ofHosts = Object.values(hosts).map(orderedAt)
  return [horizon, ...moments, ...ofHosts, ...offered.map((name) => Number.parseInt(name, 10))].reduce(
    (a, b) => Math.max(a, b),
    0,
  )
}

/** What is new in `after`, for who carries it out. */
export interface ControlChanges {
  readonly isPauseNew: boolean
  readonly stop?: 'gently' | 'now'
  /** Hosts whose orders are others than before. */
  readonly hosts: readonly string[]
  /** Batches that were not there, or not known to be. */
  readonly seeds: readonly Register<readonly AddedSeed[]>[]
  /** Sites that were opened: also those of batches that another process had offered before this one heard of them. */
  readonly origins: readonly string[]
  /** By how many the settled pages became more as given-up ones were dropped; negative: so many wait again. */
  readonly givenUp: number
}

/** Compares two states. */
export function changesOf(before: Controls, after: Controls): ControlChanges {
  const isNewer = (a: Register<unknown> | undefined, b: Register<unknown> | undefined): boolean => (b?.at ?? 0) > (a?.at ?? 0)
  const known = new Set([...before.seeds.map(batchName), ...before.offered])
  const origins = new Set(before.origins)
  return {
    isPauseNew: isNewer(before.paused, after.paused),
    ...(after.stop !== undefined && isNewer(before.stop, after.stop) && { stop: after.stop.value }),
    hosts: Object.entries(after.hosts)
      .filter(([hostKey, host]) => REGISTERS.some((name) => isNewer(before.hosts[hostKey]?.[name], host[name])))
      .map(([hostKey]) => hostKey),
    seeds: after.seeds.filter((batch) => !known.has(batchName(batch))),
    origins: after.origins.filter((origin) => !origins.has(origin)),
    givenUp: givenUpSince(before.listed, after.listed),
  }
}

function givenUpSince(before: readonly ListedControl[], after: readonly ListedControl[]): number {
  const known = new Set(before.map((each) => JSON.stringify(each)))
  return after
    .filter((each) => !known.has(JSON.stringify(each)))
    .reduce((sum, { control }) => sum + (control.kind === 'given-up' ? control.settled : 0), 0)
}
