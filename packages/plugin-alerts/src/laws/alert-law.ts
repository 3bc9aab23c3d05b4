// When an alert begins and ends, and which messages that makes. Pure but for the memory that it is given.
//
// A rule reads `on`, `between` or nothing of a subject: it begins at `on`, `between` leaves it as it is, and it has ended once it read nothing for `calmMs`. So
// a value that wavers around its limit makes two messages. Messages wait in memory until each target has taken them, beside what is open: both survive a kill.
// All of it is bounded, because memory of a plugin beyond 64 KiB ends a crawl.

/** A message, as a function target gets it and a webhook posts it. */
export interface Alert {
  /** The same whenever it is sent again. */
  readonly id: string
  /** `more`: others were left out, because there were too many within an hour. */
  readonly state: 'begun' | 'ended' | 'more' | 'test'
  /** Name of the rule; empty for `more` and `test`. */
  readonly rule: string
  /** Host or sink that it is about; empty: the crawl. */
  readonly subject: string
  /** Epoch ms at which it began. */
  readonly since: number
  /** Epoch ms of the message. */
  readonly at: number
  /** In words. */
  readonly text: string
}

/** `between`: an alert of it goes on, and none begins. */
export type Level = 'on' | 'between'

/** What a rule finds of one subject. */
export interface Reading {
  readonly subject: string
  readonly level: Level
  readonly text: string
}

/** By rule. A rule that is absent could not be read: what is open of it stays. */
export type Readings = Readonly<Record<string, readonly Reading[]>>

/** An alert that has begun and not ended. */
interface OpenAlert {
  readonly since: number
  readonly text: string
  /** Its beginning was a message: so is its end. */
  readonly isTold: boolean
  /** Since when nothing is read of it. */
  calmAt?: number
}

/** A message, and the targets that have not taken it. */
interface WaitingAlert extends Alert {
  to: readonly string[]
}

/** Crawl memory. */
export interface AlertsMemory {
  /** Epoch ms of the last change: of several processes the latest counts. */
  at: number
  /** By rule and subject. */
  open: Record<string, OpenAlert>
  waiting: WaitingAlert[]
  /** Messages of the hour that began at `hourAt`, and those that were left out. */
  hourAt: number
  sent: number
  more: number
}

const HOUR_MS = 3_600_000
/** So that all of it is less than 64 KiB. */
const MAX_OPEN = 100
const MAX_WAITING = 40
const MAX_SUBJECT = 100
const MAX_TEXT = 160

/** Memory of a crawl that was never run. */
export function freshAlerts(): AlertsMemory {
  return { at: 0, open: {}, waiting: [], hourAt: 0, sent: 0, more: 0 }
}

/** How alerts are sent. */
export interface AlertLaw {
  readonly calmMs: number
  readonly maxPerHour: number
  /** Names of the targets that each message goes to. */
  readonly targets: readonly string[]
}

/** Takes in what was read at `now`, epoch ms. Returns whether anything changed. */
export function judgeAlerts(memory: AlertsMemory, readings: Readings, now: number, law: AlertLaw): boolean {
  const before = JSON.stringify(memory)
  new Judgement(memory, now, law).take(readings)
  if (JSON.stringify(memory) === before) return false
  memory.at = now
  return true
}

/** A target has taken a message. */
export function taken(memory: AlertsMemory, id: string, target: string, now: number): void {
  memory.at = now
  const left = memory.waiting.map((each) => (each.id === id ? { ...each, to: each.to.filter((name) => name !== target) } : each))
  memory.waiting = left.filter(({ to }) => to.length > 0)
}

/** The message that a target is to get next. */
export function nextAlert(memory: AlertsMemory, target: string): Alert | undefined {
  const found = memory.waiting.find(({ to }) => to.includes(target))
  if (found === undefined) return undefined
  const { to: _to, ...alert } = found
  return alert
}

class Judgement {
  readonly #memory: AlertsMemory
  readonly #now: number
  readonly #law: AlertLaw

  constructor(memory: AlertsMemory, now: number, law: AlertLaw) {
    this.#memory = memory
    this.#now = now
    this.#law = law
  }

  take(readings: Readings): void {
    this.#tellMore()
    for (const [rule, found] of Object.entries(readings)) {
      const known = new Map(found.map((reading) => [`${rule} ${reading.subject.slice(0, MAX_SUBJECT)}`, reading]))
      for (const key of Object.keys(this.#memory.open)) if (key.startsWith(`${rule} `)) this.#goOn(key, known.has(key))
      for (const [key, { level, text }] of known) if (level === 'on') this.#begin(key, text)
    }
  }

  #begin(key: string, words: string): void {
    const { open } = this.#memory
    if (open[key] !== undefined || Object.keys(open).length >= MAX_OPEN) return
    // In one line, and as long as JSON as it is: parts of it come from sites.
    const text = words.replaceAll(/[\s\p{C}]+/gu, ' ').replaceAll(/["\\]/g, "'")
    const alert = { since: this.#now, text: text.slice(0, MAX_TEXT) }
    open[key] = { ...alert, isTold: this.#post(key, 'begun', alert) }
  }

  #goOn(key: string, isRead: boolean): void {
    const { open } = this.#memory
    const alert = open[key]
    if (alert === undefined) return
    if (isRead) return void delete alert.calmAt
    if (this.#now - (alert.calmAt ??= this.#now) < this.#law.calmMs) return
    delete open[key]
    if (alert.isTold) this.#post(key, 'ended', alert)
  }

  /** Whether there was room for it within the hour. */
  #post(key: string, state: Alert['state'], { since, text }: Pick<OpenAlert, 'since' | 'text'>): boolean {
    if (this.#now - this.#memory.hourAt >= HOUR_MS) Object.assign(this.#memory, { hourAt: this.#now, sent: 0 })
    if (this.#memory.sent >= this.#law.maxPerHour) {
      this.#memory.more++
      return false
    }
    this.#memory.sent++
    const space = key.indexOf(' ')
    const [rule, subject] = [key.slice(0, space), key.slice(space + 1)]
    this.#push({ id: `${state} ${since} ${key}`, state, rule, subject, since, at: this.#now, text })
    return true
  }

  /** What was left out of an hour that has ended is counted in a message. */
  #tellMore(): void {
    const { more, hourAt, waiting } = this.#memory
    if (more === 0 || this.#now - hourAt < HOUR_MS || waiting.length >= MAX_WAITING) return
    this.#memory.more = 0
    const [state, since, text] = ['more' as const, this.#now, `and ${more} more, which were left out`]
    this.#push({ id: `more ${since}`, state, rule: '', subject: '', since, at: since, text })
  }

  #push(alert: Alert): void {
    const { waiting } = this.#memory
    if (waiting.length >= MAX_WAITING && waiting.shift()?.state !== 'more') this.#memory.more++
    if (this.#law.targets.length > 0) waiting.push({ ...alert, to: this.#law.targets })
  }
}
