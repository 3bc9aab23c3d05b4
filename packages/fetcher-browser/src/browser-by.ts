// Makes the browser of a crawl from its rules, its guard, and a way to start the process, which tests replace.
import type { Browser } from '@avocet/core/store'
import { Chromium } from './chromium.ts'
import { Guard } from './guard.ts'
import type { Launch } from './launch.ts'
import type { BrowserOptions, RenderRule } from './options.ts'
import { renderedFetcher } from './rendered-fetcher.ts'

/** To begin a page, to read one that is built, and to close it: a script that never ends lets nobody. */
const REACT_MS = 10_000

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
      const chromium = new Chromium(guard, { launch: launch(), maxIdle: maxPages, clock: surroundings.clock, reactMs })
      return renderedFetcher({ ...surroundings, guard, chromium, options, reactMs, ruleOf: (url) => found(url) ?? {} })
    },
  }
}
