// The site that the spider is tried on, and what stands there.
import { quotes, type SiteModel } from '@avocet/simulator'
import type { Quote } from '../spider.ts'

/** One host with 100 quotes on ten pages. */
export const world: SiteModel = quotes()

/** What the spider should find. */
export function expectedItems(model: SiteModel): readonly Quote[] {
  return model.expected.quotes().map(({ text, author, tags }) => ({ text, author, tags }))
}

/** What `avocet crawl` is told, for `model`. */
export function commandWords(model: SiteModel): readonly string[] {
  return [`${import.meta.dirname}/../spider.ts`, '-a', `site=${model.seeds()[0] ?? ''}`]
}
