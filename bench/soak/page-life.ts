// The pages that there are, when each of them is to be visited, and when it was: the ledger in which the oracle keeps what the web saw.
import { withProbesInVain } from './probes-in-vain.ts'
import { DAY_MS, HOUR_MS } from './soak-spider.ts'
import type { Trouble } from './trouble.ts'
import { DIRECTORY, type Shop, type SoakWorld } from './world.ts'
import { throughWrongClocks } from './wrong-clocks.ts'

/** A page of the world. Times in ms since the web was started. */
export interface PageLife {
  readonly url: string
  readonly host: string
  readonly path: string
  readonly everyMs: number
  /** Index of its product; undefined for other pages. */
  readonly product: number | undefined
  /** Of its host and of all hosts, in the order of `fromMs`. */
  readonly troubles: readonly Trouble[]
  /** From when on there is a page that leads to it. */
  readonly bornMs: number
  /** When it goes away for good. */
  readonly untilMs: number
  /** Pages that a visit of this one makes known. */
  readonly children: PageLife[]
  /** The page that a redirect of this one makes known. */
  readonly movedTo: PageLife | undefined
  /** When the crawl heard of it; Infinity = not yet. */
  knownMs: number
  /** The last good visit; -1 = none. */
  servedMs: number
  /** The deadline that was missed last, so that each is told once. */
  missedMs: number
  served: number
  asked: number
  /** Since the day began. */
  servedToday: number
  askedToday: number
}

/** All pages by URL. Those of seeds are known from the beginning. */
export function pagesOf({ model, shops, own }: SoakWorld): ReadonlyMap<string, PageLife> {
  const pages = new Map<string, PageLife>()
  const add = (host: string, path: string, rest: Partial<PageLife> & Pick<PageLife, 'everyMs'>): PageLife => {
    const url = model.baseOf(host) + path
    const nothing = { servedMs: -1, missedMs: -1, served: 0, asked: 0, servedToday: 0, askedToday: 0 }
    const page: PageLife = {
      product: undefined,
      troubles: own.troubles,
      bornMs: 0,
      untilMs: Infinity,
      children: [],
      movedTo: undefined,
      knownMs: Infinity,
      ...nothing,
      ...rest,
      url,
      host,
      path,
    }
    pages.set(url, page)
    return page
  }
  const directory = add(DIRECTORY, '/', { everyMs: HOUR_MS, knownMs: 0 })
  for (const shop of shops) {
    const moved =
      shop.movesMs === undefined
        ? undefined
        : addShop(add, shop, { host: shop.newName, troubles: own.troubles, moved: undefined })
    const alone = throughWrongClocks(withProbesInVain(shop.troubles, own.troubles), own.shifts)
    const troubles = [...own.troubles, ...alone].sort((a, b) => a.fromMs - b.fromMs)
    const front = addShop(add, shop, { host: shop.name, troubles, moved })
    if (shop.bornMs === 0) front.knownMs = 0
    else directory.children.push(front)
  }
  return pages
}

type Add = (host: string, path: string, rest: Partial<PageLife> & Pick<PageLife, 'everyMs'>) => PageLife

/** Adds the pages of a shop under `host`; returns the front page. */
function addShop(
  add: Add,
  { bornMs, movesMs = Infinity, removalMs = Infinity, products }: Shop,
  { host, troubles, moved }: { host: string; troubles: readonly Trouble[]; moved: PageLife | undefined },
): PageLife {
  const isOld = moved !== undefined
  // At the new host there is nothing before the move.
  const openMs = host.startsWith('moved') ? movesMs : 0
  const goesMs = isOld ? movesMs : Infinity
  const category = moved?.children[0]
  const goods = Array.from({ length: products }, (_, n) => {
    // The first product is the one that is taken out; at the new host it is still there.
    const untilMs = n === 0 && !host.startsWith('moved') ? Math.min(goesMs, removalMs) : goesMs
    return add(host, `/product/A-${String(n + 1).padStart(5, '0')}`, {
      everyMs: HOUR_MS,
      product: n,
      troubles,
      bornMs: openMs,
      untilMs,
      movedTo: category?.children[n],
    })
  })
  const list = add(host, '/category/0', {
    everyMs: DAY_MS,
    troubles,
    bornMs: openMs,
    untilMs: goesMs,
    children: goods,
    movedTo: category,
  })
  return add(host, '/', {
    everyMs: DAY_MS,
    troubles,
    bornMs: Math.max(bornMs, openMs),
    untilMs: goesMs,
    children: [list],
    movedTo: moved,
  })
}
