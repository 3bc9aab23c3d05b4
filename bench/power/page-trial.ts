// A store with one damaged page: what a crawl and verification make of it as it is, and what a crawl makes of what is rescued of it.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AvocetError } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import { rescueStore, sqlite, verifyStore, type StoreRescue } from '@avocet/plugin-sqlite'
import type { VirtualClock } from '@avocet/simulator'
import { booksOf, wrongIn, type Books } from './books.ts'
import { crawled } from './crawled.ts'
import type { PowerWorld } from './world.ts'

/** What a damaged store is tried against. */
export interface PageTrial {
  readonly world: PowerWorld
  /** What a whole crawl without trouble leaves. */
  readonly expected: Books
  /** Of the crawl before the damage, as far as it was written. */
  readonly output: string
  readonly folder: string
}

/** What came of it as it is. */
export interface AsItIs {
  /** Whether it is told beforehand that something is wrong. */
  readonly isTold: boolean
  /** The code of the error that ended the crawl. */
  readonly code?: string
  /** What is wrong after a crawl that no error ended. */
  readonly wrong: readonly string[]
}

const RESUMED_AT = Date.UTC(2026, 0, 2)

/** Verifies it and crawls on. */
export async function tryDamaged(bytes: Buffer, trial: PageTrial): Promise<AsItIs> {
  const { store, output } = laidOut(bytes, trial)
  const isTold = await verifyStore(store).then(
    ({ faults }) => faults.length > 0,
    (error: unknown) => codeOf(error) !== '',
  )
  try {
    const { report } = await crawled(trial.world, { frontier: frontierAt(store), store, output, startAt: RESUMED_AT })
    if (report.error !== undefined) return { isTold, code: report.error.code, wrong: [] }
    return { isTold, wrong: await wrongIn(store, { came: await booksOf(store, output), expected: trial.expected }) }
  } catch (error) {
    return codeOf(error) === '' ? { isTold, wrong: [`threw: ${messageOf(error)}`] } : { isTold, code: codeOf(error), wrong: [] }
  }
}

/** What came of what was rescued. */
export interface Rescued {
  readonly rescue?: StoreRescue
  readonly wrong: readonly string[]
  readonly asked: number
}

/** Rescues it, and crawls on with that. */
export async function tryRescued(bytes: Buffer, trial: PageTrial): Promise<Rescued> {
  const { store, output, rescued } = laidOut(bytes, trial)
  try {
    const rescue = await rescueStore(store, rescued)
    const { report, asked } = await crawled(trial.world, {
      frontier: frontierAt(rescued),
      store: rescued,
      output,
      startAt: RESUMED_AT,
    })
    const wrong = await wrongIn(rescued, { came: await booksOf(rescued, output), expected: trial.expected })
    return { rescue, asked: asked.length, wrong: report.error === undefined ? wrong : [report.error.message, ...wrong] }
  } catch (error) {
    return { wrong: [`threw: ${messageOf(error)}`], asked: 0 }
  }
}

function laidOut(bytes: Buffer, { folder, output: written }: PageTrial): { store: string; output: string; rescued: string } {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const [store, output, rescued] = [join(folder, 'damaged.db'), join(folder, 'out.jsonl'), join(folder, 'rescued.db')]
  writeFileSync(store, bytes)
  copyFileSync(written, output)
  return { store, output, rescued }
}

function frontierAt(path: string): (clock: VirtualClock) => ReturnType<typeof sqlite> {
  return (clock) => sqlite(path, { clock, synchronous: 'normal' })
}

/** '' for what has no code of ours. */
function codeOf(error: unknown): string {
  return error instanceof AvocetError ? error.code : ''
}
