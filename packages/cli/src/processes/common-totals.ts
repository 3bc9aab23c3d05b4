// Totals of a store that several processes have in common: what the first of them found, and what each has changed since it opened.
//
// A process that dies takes along what it committed after it was last heard, and other commands may work on the same crawl. Both are seen when a process
// opens the store: what it finds beyond what was counted is added then. It is compared with what the others say after that moment, so that nothing counts
// twice; what they did in between, a quarter of a second, is missing then. One that has finished shows no later moment, and commits nothing any more.
// What commands did to given-up pages each process hears of, and tells with its moment: it is counted once.
import type { Counts } from '@avocet/core/store'
import type { SettledBeside } from '@avocet/core/tools'
import { shownCounts, type ShownCounts } from '../view/shown-counts.ts'
import type { ProcessScene } from './process-messages.ts'

/** Where a store stands. What is waiting is the rest of what is known. */
type Standing = Readonly<Record<'known' | 'done' | 'moved' | 'failed' | 'items', number>>

/** The totals that a person is shown. */
export type ShownTotals = ShownCounts & Pick<Counts, 'items'>

/** A process that has opened the store, and whose finding was not compared yet. */
interface Finding {
  readonly opened: ProcessScene['opened']
  readonly standing: Standing
  /** Epoch ms. */
  readonly at: number
  readonly beside: readonly SettledBeside[]
}

/** Remembered: more than a process tells, so that none is taken for a new one. */
const MAX_BESIDE = 1_000

const NOTHING: Standing = { known: 0, done: 0, moved: 0, failed: 0, items: 0 }

/** The totals of one command. */
export class CommonTotals {
  #origin: Standing | undefined
  /** What was changed by processes that died, and what nobody told. */
  #past = NOTHING
  #findings: readonly Finding[] = []
  /** What commands did to given-up pages, by moment and count: two of them may have one moment. The newest. */
  readonly #beside = new Map<string, SettledBeside>()
  #settledBeside = 0
  /** What the store had as those opened it that commit nothing any more. */
  readonly #over = new Set<ProcessScene['opened']>()

  /** As the first of them found it. */
  get origin(): Pick<ShownTotals, 'done' | 'items' | 'failed' | 'moved'> | undefined {
    return this.#origin
  }

  /** A process has shown something for the first time. */
  met(process: ProcessScene): void {
    const standing = standingOf((part) => process.opened[part])
    const { now: at, settledBeside } = process.scene.glance.status
    if (this.#origin === undefined) this.#origin = standing
    else this.#findings = [...this.#findings, { opened: process.opened, standing, at, beside: settledBeside?.newest ?? [] }]
  }

  /** A process has finished, and this was its last scene. */
  finished({ opened }: ProcessScene): void {
    this.#over.add(opened)
  }

  /** A process has died. What it found is compared all the same: it may have been the last that looked. */
  gone(process: ProcessScene): void {
    this.#past = added(this.#past, changedBy(process))
    this.#over.delete(process.opened)
  }

  /** The totals, by what those that live have shown last. */
  of(all: readonly ProcessScene[]): ShownTotals {
    for (const { scene } of all) this.#hear(scene.glance.status.settledBeside?.newest ?? [])
    for (const finding of this.#findings) this.#compare(finding, all)
    const { items, ...counts } = this.#sum(all)
    return { ...shownCounts(counts), items }
  }

  #hear(changes: readonly SettledBeside[]): void {
    for (const change of changes) {
      const name = `${change.at} ${change.settled}`
      if (this.#beside.has(name)) continue
      this.#beside.set(name, change)
      this.#settledBeside += change.settled
      const [oldest = ''] = this.#beside.keys()
      if (this.#beside.size > MAX_BESIDE) this.#beside.delete(oldest)
    }
  }

  #compare(finding: Finding, all: readonly ProcessScene[]): void {
    const others = all.filter(({ opened }) => opened !== finding.opened)
    if (others.some(({ scene, opened }) => scene.glance.status.now < finding.at && !this.#over.has(opened))) return
    // What it heard of itself came after it opened.
    const heard = finding.beside.map(({ at }) => at - 1)
    const counted = this.#sum(others, Math.min(finding.at, ...heard))
    this.#findings = this.#findings.filter((one) => one !== finding)
    // Beside others, less is what they have done in between. Where nobody else is, commands had pages wait again that were settled.
    const least = others.length === 0 ? -Infinity : 0
    const found = differenceOf(finding.standing, counted)
    const more = standingOf((part) => Math.max(least, found[part]))
    // A page that was done before, and failed in its last visit, is settled once.
    const settled = Math.max(least, found.done + found.moved + found.failed)
    this.#past = added(this.#past, { ...more, done: settled - more.moved - more.failed })
  }

  /** `until`: epoch ms; what commands did later is left out. */
  #sum(all: readonly ProcessScene[], until = Infinity): Standing {
    const later = [...this.#beside.values()].filter(({ at }) => at > until).reduce((sum, each) => sum + each.settled, 0)
    const beside = { ...NOTHING, failed: this.#settledBeside - later }
    return [this.#past, beside, ...all.map(changedBy)].reduce(added, this.#origin ?? NOTHING)
  }
}

/** What a process has changed since it opened the store. */
function changedBy({ scene, opened }: ProcessScene): Standing {
  return differenceOf(scene.glance.status, opened)
}

function added(a: Standing, b: Standing): Standing {
  return standingOf((part) => a[part] + b[part])
}

function differenceOf(a: Standing, b: Standing): Standing {
  return standingOf((part) => a[part] - b[part])
}

function standingOf(of: (part: keyof Standing) => number): Standing {
  return { known: of('known'), done: of('done'), moved: of('moved'), failed: of('failed'), items: of('items') }
}
