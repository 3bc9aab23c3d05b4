// A store with one damaged page: what a crawl and verification make of it.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AvocetError } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import { sqlite, verifyStore } from '@avocet/plugin-sqlite'
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

/** What came of it. */
export interface Found {
  /** Whether it is told beforehand that something is wrong. */
  readonly isTold: boolean
  /** The code of the error that ended the crawl. */
  readonly code?: string
  /** What is wrong after a crawl that no error ended. */
  readonly wrong: readonly string[]
}

const RESUMED_AT = Date.UTC(2026, 0, 2)

/** Verifies it and crawls on. */
export async function tryDamaged(bytes: Buffer, trial: PageTrial): Promise<Found> {
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

function laidOut(bytes: Buffer, { folder, output: written }: PageTrial): { store: string; output: string } {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const [store, output] = [join(folder, 'damaged.db'), join(folder, 'out.jsonl')]
  writeFileSync(store, bytes)
  copyFileSync(written, output)
  return { store, output }
}

function frontierAt(path: string): (clock: VirtualClock) => ReturnType<typeof sqlite> {
  return (clock) => sqlite(path, { clock, synchronous: 'normal' })
}

/** '' for what has no code of ours. */
function codeOf(error: unknown): string {
  return error instanceof AvocetError ? error.code : ''
}
