// Power cuts: a crawl is recorded, and each image of the disk that a power cut may leave is tried.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Synchronous } from '@avocet/plugin-sqlite'
import { booksOf } from './books.ts'
import { imagesOf } from './images.ts'
import { record } from './recording.ts'
import { tryImage } from './trial.ts'
import { powerWorld } from './world.ts'

/** What to try. */
export interface PowerCuts {
  /** A folder of it is used. */
  readonly folder: string
  readonly synchronous: Synchronous
  readonly images: number
  readonly seed: string
}

/** What came of one image. */
export interface PowerVerdict {
  readonly name: string
  readonly wrong: readonly string[]
}

const PAGES_A_HOST = 10

/** Tells of one after the other. */
export async function tryPowerCuts(
  { folder, synchronous, images, seed }: PowerCuts,
  tell: (verdict: PowerVerdict) => void,
): Promise<void> {
  const world = powerWorld(PAGES_A_HOST)
  const recorded = join(folder, synchronous)
  mkdirSync(recorded)
  const [store, output] = [join(recorded, 'store.db'), join(recorded, 'out.jsonl')]
  const recording = await record(world, { store, output, synchronous })
  const expected = await booksOf(store, output)
  const trial = { world, recording, expected, folder: join(folder, 'image') }
  for (const image of imagesOf(recording, images, seed)) tell({ name: image.name, wrong: await tryImage(image, trial) })
}
