// Makes the browser of a crawl from its rules, its guard, and a way to start the process, which tests replace.
import type { Browser } from '@avocet/core/store'
import { Chromium } from './chromium.ts'
import { Guard } from './guard.ts'
import type { Launch } from './launch.ts'
import type { BrowserOptions, RenderRule } from './options.ts'
import { renderedFetcher } from './rendered-fetcher.ts'

/** To begin a page, to read one that is built, and to close it: a script that never ends lets nobody. */
const REACT_MS = 10_000

const PAGES_OF_A_BROWSER = 1_000

/** How its process is started, and how long it may take to react. */
export interface BrowserProcess {
  /** Called when a crawl is made, and throws where nothing can be started. */
  readonly launch: () => Launch
  readonly reactMs?: number
}

/** `options` have been checked. */
export function browserBy(options: BrowserOptions, { launch, reactMs = REACT_MS }: BrowserProcess): Browser {
  const { rules = [], maxPages = 4 } = options
  const found = (url: string): RenderRule | undefined => rules.find(({ match }) => match === undefined || url.search(match) >= 0)
  return {
    maxPages,
    renders: (url) => found(url) !== undefined,
    fetcherIn(surroundings) {
      const guard = new Guard(surroundings.http)
      const all = { launch: launch(), clock: surroundings.clock, reactMs }
      const chromium = new Chromium(guard, { ...all, maxIdle: maxPages, pagesOfABrowser: PAGES_OF_A_BROWSER })
      const alone = new Chromium(guard, { ...all, maxIdle: 0, pagesOfABrowser: 1 })
      return renderedFetcher({ ...surroundings, guard, chromium, alone, options, reactMs, ruleOf: (url) => found(url) ?? {} })
    },
  }
}
