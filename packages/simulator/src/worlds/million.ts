// The world of the speed bar: a million pages and more, so small that what is measured is the crawler.
import { seeded } from '../seeded.ts'
import { siteModel, type SiteModel } from '../site-model/site-model.ts'
import { nameOf } from './named-hosts.ts'

/**
 * `hosts` sites (default 800) with `pages` pages each (default 1,300), a tree of four children a page, each with a latency of its own from 50 to 500 ms.
 *
 * 1,040,800 requests, robots.txt included. The pages are the same on all sites, so that their bytes are there once.
 */
export function million(options: { readonly hosts?: number; readonly pages?: number; readonly seed?: string } = {}): SiteModel {
  const { hosts = 800, pages = 1_300, seed = 'million' } = options
  const chance = seeded(seed, 'latency')
  return siteModel({
    seed,
    // Whole ms, so that many exchanges share a moment: fewer moments are what makes virtual time quick.
    hosts: Array.from({ length: hosts }, (_, n) => ({
      name: nameOf('site', n, 4),
      pages: { kind: 'plain', pages },
      latency: { law: 'fixed', ms: 50 + Math.floor(451 * chance(n)) },
    })),
  })
}
