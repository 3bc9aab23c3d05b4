// The fail points of one life: counts how often each is reached, and does there what the job says.
//
// Everything is done from outside: the doors (statement-door.ts, file-door.ts) stand around SQLite's driver and the file system, so production code has no
// fail points in it, pays nothing for them, and cannot forget one: each write is a point because it is a write.
//
// A process can die in two ways. Killed: SIGKILL, and nothing can be closer to the truth. Cut: its files are copied as they are at this moment, which is all
// that a kill leaves, and the life is given up; a process then serves for hundreds of lives, and one costs a fifth.
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Deed, Job, Shot, Trace } from './job.ts'
import { POINTS } from './points.ts'

// Taken before the doors are hung in.
const [copy, list, make, write] = [copyFileSync, readdirSync, mkdirSync, writeFileSync]

/** What the door does instead of the call. */
export interface Misfortune {
  readonly deed: Exclude<Deed, 'kill' | 'interrupt'>
  readonly rollsBack: boolean
}

/** The points of one life. */
export class FailPoints {
  readonly #job: Job
  readonly #reached = new Map<string, number>()
  readonly #nameless = new Set<string>()
  readonly #fired = new Set<Shot>()
  readonly #now: () => number
  readonly #died = Promise.withResolvers<void>()
  #isDead = false

  constructor(job: Job, now: () => number) {
    this.#job = job
    this.#now = now
  }

  /** Resolves when the life is cut. */
  get died(): Promise<void> {
    return this.#died.promise
  }

  /** What is known of this life by now. */
  get trace(): Trace {
    const reached = Object.fromEntries(this.#reached)
    return { reached, fired: this.#fired.size, now: this.#now(), nameless: [...this.#nameless] }
  }

  /** Call before the work of a point is done. Kills, or says what goes wrong instead. */
  before(point: string): Misfortune | undefined {
    this.#assertAlive()
    if (!Object.hasOwn(POINTS, point)) this.#nameless.add(point)
    const nth = this.times(point) + 1
    this.#reached.set(point, nth)
    return this.#fire(point, nth, 'before')
  }

  /** How often it was reached by now. */
  times(point: string): number {
    return this.#reached.get(point) ?? 0
  }

  /** Call once its work is done. `nth`: what `times` said when that work began, for others may have begun since. */
  after(point: string, nth = this.times(point)): void {
    this.#fire(point, nth, 'after')
  }

  #fire(point: string, nth: number, when: Shot['when']): Misfortune | undefined {
    const due = (shot: Shot): boolean =>
      shot.point === point && shot.when === when && (shot.forEver ? nth >= shot.nth : nth === shot.nth)
    const shot = this.#job.shots.find(due)
    if (shot === undefined) return undefined
    this.#fired.add(shot)
    const { deed, rollsBack } = shot
    if (deed === 'kill') this.#die()
    if (deed !== 'interrupt') return { deed, rollsBack }
    process.kill(process.pid, 'SIGINT')
    return undefined
  }

  #die(): never {
    const { folder, life, cutTo } = this.#job
    if (cutTo === undefined) {
      write(join(folder, `${life}.trace.json`), JSON.stringify(this.trace))
      process.kill(process.pid, 'SIGKILL')
      // The signal comes at once, but nothing more must happen.
      for (;;);
    }
    copyAll(folder, cutTo)
    this.#isDead = true
    this.#died.resolve()
    this.#assertAlive()
    throw new Error('expected nobody to be alive here')
  }

  /** What still runs of a life that was cut has no effect: its files are not looked at any more. */
  #assertAlive(): void {
    if (this.#isDead) throw new Error('this life was cut')
  }
}

/** As a kill leaves it: but for the index of the WAL, which the next process may find, and may not. */
function copyAll(from: string, to: string): void {
  make(to, { recursive: true })
  for (const entry of list(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) {
      if (entry.name === 'store') copyAll(source, target)
    } else if (!entry.name.endsWith('-shm') && !entry.name.includes('.job.') && !entry.name.includes('.trace.'))
      copy(source, target)
  }
}
