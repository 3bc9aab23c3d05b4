// A site that hands out a session in its links, and runs over one store that are as processes of their own: what tests of fresh secrets share.
import { memoryFrontier, type CrawlConfig, type Spider } from 'avocet'
import type { Frontier } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { pathSpider, run, type Ran } from '../harness.ts'
import type { Answer } from '../scripted-web.ts'

/** Its origin. */
export const SHOP = 'https://shop.test'
/** A page of HTML with links. */
export const page = (...hrefs: readonly string[]): Answer => ({
  headers: { 'content-type': 'text/html' },
  body: hrefs.map((href) => `<a href="${href}">x</a>`).join(''),
})
/** What was asked of it, without its origin. */
export const sentUrls = ({ seen }: Ran): readonly string[] => seen.map(({ outbound }) => outbound.url.replace(SHOP, ''))

/** Answers by path or by URL. */
export type Script = Readonly<Record<string, Answer | readonly Answer[]>>

/** `paths` of one site. */
export const site = (paths: Script): Script =>
  Object.fromEntries(Object.entries(paths).map(([path, answer]) => [SHOP + path, answer]))

/** An item and the links of each page. */
export const handlers: Spider['handlers'] = {
  *start(visited) {
    yield { path: visited.url.pathname }
    yield* visited.links()
  },
}

/** What runs share. */
export interface Store {
  readonly frontier: Frontier
  readonly clock: VirtualClock
}

/** Before the first run. */
export const emptyStore = (): Store => ({ frontier: memoryFrontier(), clock: new VirtualClock() })

/** One run over a store, as a process of its own: it knows no secret of the runs before it. */
export function ran(store: Store, script: Script, config: Partial<CrawlConfig> = {}): Promise<Ran> {
  const spider = pathSpider([], { seeds: [`${SHOP}/`], scope: { within: 'any' }, handlers })
  return run(script, { spider, secretParameters: ['sid'], delayMs: 0, ...store, ...config })
}

const many = Array.from({ length: 40 }, (_, n) => `/p${n}?sid=`)
/** Forty pages that need the parameter, with a value. */
export const links = (sid: string): readonly string[] => many.map((path) => path + sid)
/** Their answers: each links home. */
export const pages = (sid: string): Script => Object.fromEntries(links(sid).map((path) => [path, page(`/?sid=${sid}`)]))
