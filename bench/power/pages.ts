// Damaged pages: a crawl that has come half way is damaged page by page; what becomes of it.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sqlite } from '@avocet/plugin-sqlite'
import { booksOf } from './books.ts'
import { crawled } from './crawled.ts'
import { damaged, type DamageKind } from './page-damage.ts'
import { tryDamaged, type Found, type PageTrial } from './page-trial.ts'
import { PAGE_BYTES } from './wal.ts'
import { powerWorld, type PowerWorld } from './world.ts'

/** What to try. */
export interface DamagedPages {
  /** Folders of it are used. */
  readonly folder: string
  readonly kinds: readonly DamageKind[]
  readonly seed: string
  /** Of so many pages one is damaged. Default 1: each. */
  readonly oneOf?: number
}

/** What came of one. */
export interface PageVerdict {
  readonly name: string
  readonly kind: DamageKind
  /** `told`: wrong, and verification says that something is wrong. `unseen`: values are wrong that nothing else in the file contradicts. */
  readonly became: 'refused' | 'right' | 'told' | 'unseen' | 'wrong'
  readonly wrong: readonly string[]
}

const PAGES_A_HOST = 8
const PAGES_BEFORE = 20

/** Tells of one after the other. */
export async function tryPages(
  { folder, kinds, seed, oneOf = 1 }: DamagedPages,
  tell: (verdict: PageVerdict, of: number) => void,
): Promise<void> {
  if (kinds.length === 0) return
  const world = powerWorld(PAGES_A_HOST)
  const whole = await left(world, join(folder, 'whole'))
  const half = await left(world, join(folder, 'half'), PAGES_BEFORE)
  const trial = { world, expected: await booksOf(whole.store, whole.output), output: half.output, folder: join(folder, 'page') }
  const sound = readFileSync(half.store)
  const pages = Array.from({ length: sound.length / PAGE_BYTES }, (_, page) => page).filter((page) => page % oneOf === 0)
  for (const kind of kinds)
    for (const page of pages)
      tell(await verdictOf(damaged(sound, { kind, page, seed }), { kind, page, trial }), kinds.length * pages.length)
}

async function left(world: PowerWorld, folder: string, maxPages?: number): Promise<{ store: string; output: string }> {
  mkdirSync(folder)
  const place = { store: join(folder, 'store.db'), output: join(folder, 'out.jsonl') }
  const frontier = (clock: Parameters<typeof world.fetcher>[0]): ReturnType<typeof sqlite> =>
    sqlite(place.store, { clock, synchronous: 'normal' })
  await crawled(world, { ...place, frontier, ...(maxPages !== undefined && { maxPages }) })
  return place
}

async function verdictOf(
  bytes: Buffer,
  { kind, page, trial }: { readonly kind: DamageKind; readonly page: number; readonly trial: PageTrial },
): Promise<PageVerdict> {
  const found = await tryDamaged(bytes, trial)
  const became = judged(found)
  return { name: `${kind} page ${String(page + 1)}`, kind, became, wrong: became === 'wrong' ? found.wrong : [] }
}

function judged({ code, wrong, isTold }: Found): PageVerdict['became'] {
  if (code !== undefined)
    return code === 'AVO_FRONTIER_CORRUPT' || code === 'AVO_FRONTIER_FOREIGN' || code === 'AVO_FRONTIER_VERSION'
      ? 'refused'
      : 'wrong'
  if (wrong.length === 0) return 'right'
  if (isTold) return 'told'
  return wrong.every((each) => isValue(each, wrong)) ? 'unseen' : 'wrong'
}

/** An item that is there once, with another text: there is no checksum that a bit of it could contradict. */
function isValue(each: string, all: readonly string[]): boolean {
  const missing = all.filter((one) => one.startsWith('item missing 1')).length
  const more = all.filter((one) => one.startsWith('item 1 times, expected 0')).length
  return missing === more && /^(item|line) (missing 1|1 times, expected 0)/.test(each)
}
