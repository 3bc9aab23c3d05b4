// When an alert begins and ends, and which messages that makes. Pure but for the memory that it is given.
//
// A rule reads `on`, `between` or nothing of a subject: it begins at `on`, `between` leaves it as it is, and it has ended once it read nothing for ten
// minutes. So a value that wavers around its limit makes two messages. What a rule reads of the whole crawl is one group, what it reads of hosts or
// sinks another one: each has room of its own, and begins and ends its subjects together, in one message each; hosts and sinks then wait for
// `groupIntervalMs`. Messages wait in memory until each target has taken them, beside what is open: both survive a kill. All of it is bounded, because
// memory of a plugin beyond 64 KiB ends a crawl.

/** A message, as a function target gets it and a webhook posts it. */
export interface Alert {
  /** The same whenever it is sent again. */
  readonly id: string
  readonly state: 'begun' | 'ended' | 'test'
  /** Name of the rule; empty for `test`. */
  readonly rule: string
  /** The first three hosts or sinks that it is about; none: the crawl. */
  readonly subjects: readonly string[]
  /** How many others it is about. */
  readonly more: number
  /** Epoch ms of the message that it began with; of several, the first one. */
  readonly since: number
  /** Epoch ms of the message. */
  readonly at: number
  /** Why it began, in words; of several, the first one. Empty once it has ended. */
  readonly text: string
}

/** `between`: an alert of it goes on, and none begins. */
export type Level = 'on' | 'between'

/** What a rule finds of one subject. */
export interface Reading {
  /** Host or sink; empty: the crawl. */
  readonly subject: string
  readonly level: Level
  readonly text: string
}

/** By rule. A rule that is absent could not be read: what is open of it stays. */
export type Readings = Readonly<Record<string, readonly Reading[]>>

/** An alert that has begun and not ended. Both are epoch ms. */
interface OpenAlert {
  readonly since: number
  /** Since when nothing is read of it. */
  calmAt?: number
}

/** A message, and the targets that have not taken it. */
interface WaitingAlert extends Alert {
  readonly to: readonly string[]
}

/** What a rule read of the crawl, or of its hosts or sinks. */
interface AlertGroup {
  /** Epoch ms of its last message. */
  toldAt: number
  /** By subject. */
  open: Record<string, OpenAlert>
  /** The oldest first. */
  waiting: readonly WaitingAlert[]
}

/** Crawl memory. */
export interface AlertsMemory {
  /** Rises with each change: of several processes the highest counts. */
  revision: number
  groups: Record<string, AlertGroup>
}

/** These three so that all of it is less than 64 KiB. */
const MAX_OPEN = 100
const MAX_WAITING = 3
const MAX_SUBJECT = 50
const MAX_TEXT = 160
const MAX_NAMED = 3
const CALM_MS = 600_000

/** Memory of a crawl that was never run. */
export function freshAlerts(): AlertsMemory {
  return { revision: 0, groups: {} }
}

/** How alerts are sent. */
export interface AlertLaw {
  readonly groupIntervalMs: number
  /** Names of the targets that each message goes to. */
  readonly targets: readonly string[]
}

/** Takes in what was read at `now`, epoch ms. Returns whether anything changed. */
export function judgeAlerts(memory: AlertsMemory, readings: Readings, now: number, law: AlertLaw): boolean {
  const before = JSON.stringify(memory)
  for (const [rule, found] of Object.entries(readings)) {
    const read = (isOfCrawl: boolean): Look => {
      const of = found.filter(({ subject }) => (subject === '') === isOfCrawl)
      return { rule, read: new Map(of.map((reading) => [reading.subject.slice(0, MAX_SUBJECT), reading])), now, law }
    }
    // These never wait: what a run says at its end is read once.
    judgeGroup(groupOf(memory, rule), read(true), 0)
    judgeGroup(groupOf(memory, `${rule} of parts`), read(false), law.groupIntervalMs)
  }
  if (JSON.stringify(memory) === before) return false
  memory.revision++
  return true
}

/** A target has taken a message. */
export function taken(memory: AlertsMemory, id: string, target: string): void {
  memory.revision++
  for (const group of Object.values(memory.groups))
    group.waiting = group.waiting
      .map((each) => (each.id === id ? { ...each, to: each.to.filter((name) => name !== target) } : each))
      .filter(({ to }) => to.length > 0)
}

/** The message that a target is to get next: those of the whole crawl go first. */
export function nextAlert(memory: AlertsMemory, target: string): Alert | undefined {
  const waiting = Object.values(memory.groups).flatMap((group) => group.waiting.filter(({ to }) => to.includes(target)))
  const [found] = waiting.sort((a, b) => Math.sign(a.subjects.length) - Math.sign(b.subjects.length) || a.at - b.at)
  if (found === undefined) return undefined
  const { to: _to, ...alert } = found
  return alert
}

function groupOf({ groups }: AlertsMemory, name: string): AlertGroup {
  return (groups[name] ??= { toldAt: 0, open: {}, waiting: [] })
}

/** What a rule read of a group. */
interface Look {
  readonly rule: string
  /** By subject. */
  readonly read: ReadonlyMap<string, Reading>
  readonly now: number
  readonly law: AlertLaw
}

function judgeGroup(group: AlertGroup, look: Look, intervalMs: number): void {
  const { read, now, law } = look
  // Moments that a wrong clock left in the future count as now.
  group.toldAt = Math.min(group.toldAt, now)
  for (const [subject, alert] of Object.entries(group.open)) {
    if (read.has(subject)) delete alert.calmAt
    else alert.calmAt = Math.min(alert.calmAt ?? now, now)
  }
  if (now - group.toldAt < intervalMs) return
  const alerts = [endedOf(group.open, look), begunOf(group.open, look)].flatMap((alert) => alert ?? [])
  if (alerts.length === 0) return
  group.toldAt = now
  if (law.targets.length === 0) return
  group.waiting = [...group.waiting, ...alerts.map((alert) => ({ ...alert, to: law.targets }))].slice(-MAX_WAITING)
}

function endedOf(open: AlertGroup['open'], { rule, now }: Look): Alert | undefined {
  const over = Object.entries(open).filter(([, { calmAt = Infinity }]) => now - calmAt >= CALM_MS)
  for (const [subject] of over) delete open[subject]
  const since = Math.min(now, ...over.map(([, alert]) => alert.since))
  const subjects = over.map(([subject]) => subject)
  return alertOf({ state: 'ended', rule, subjects, since, at: now, text: '' })
}

/** Those that have no room are counted, and begin once there is some. */
function begunOf(open: AlertGroup['open'], { rule, read, now }: Look): Alert | undefined {
  const room = MAX_OPEN - Object.keys(open).length
  const begun = [...read].filter(([subject, { level }]) => level === 'on' && !Object.hasOwn(open, subject))
  const [first] = begun
  if (first === undefined || room <= 0) return undefined
  const subjects = begun.map(([subject]) => subject)
  for (const subject of subjects.slice(0, room)) open[subject] = { since: now }
  // In one line, and as long as JSON as it is: parts of it come from sites.
  const why = first[1].text.replaceAll(/[\s\p{C}]+/gu, ' ').replaceAll(/["\\]/g, "'")
  const text = `${begun.length > 1 ? `${first[0]}: ` : ''}${why}`.slice(0, MAX_TEXT)
  return alertOf({ state: 'begun', rule, subjects, since: now, at: now, text })
}

function alertOf(of: Omit<Alert, 'id' | 'more'>): Alert | undefined {
  const [first] = of.subjects
  if (first === undefined) return undefined
  const subjects = first === '' ? [] : of.subjects.slice(0, MAX_NAMED)
  const more = of.subjects.length - Math.max(1, subjects.length)
  return { id: `${of.state} ${of.at} ${of.rule} ${first}`, ...of, subjects, more }
}
