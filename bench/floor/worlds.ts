// The pages that bench:floor crawls: the simulator's shop, whose pages depend on nothing but this file, at loopback addresses of their own.
import { siteModel, type SiteModel } from '@avocet/simulator'

/** Hosts with pages that are all alike. */
export interface World {
  readonly hosts: number
  readonly pages: number
  /** Products: each page of one is an item. */
  readonly items: number
  /** What one host may have in flight; the floor and the command have the same. */
  readonly perHost: number
  /** Links and text of a product's page beside what the simulator's shop has on it. */
  readonly links: number
  readonly textBytes: number
}

const SHOP = { hosts: 1, pages: 2_000, items: 1_969, perHost: 16 }

/**
 * `large`: 37 kB and 90 links a page. `fewLinks`: as large, 3 links. `one`: a page alone. `small`: 10 kB and 30 links a page, 100 pages on each of
 * 60 hosts that are asked for one page at a time, so that scheduling and commits count.
 */
export const WORLDS = {
  one: { hosts: 1, pages: 1, items: 0, perHost: 16, links: 0, textBytes: 0 },
  large: { ...SHOP, links: 88, textBytes: 29_500 },
  fewLinks: { ...SHOP, links: 0, textBytes: 36_500 },
  small: { hosts: 60, pages: 6_000, items: 5_820, perHost: 1, links: 28, textBytes: 7_000 },
} as const satisfies Record<string, World>
export type WorldName = keyof typeof WORLDS

/** The host with this number. Linux and Windows have all of 127.0.0.0/8; macOS needs an alias for each. */
export function addressOf(host: number): string {
  return `127.0.1.${host + 1}`
}

/** A world with its pages, served at `port`. Lists of 90 products: with the front they make up the number of pages. */
export function modelOf({ hosts, items }: World, port: number): SiteModel {
  const products = items / hosts
  const pages = { kind: 'shop', products, categories: hosts === 1 ? 10 : 2, perPage: 90 } as const
  const specs = Array.from({ length: hosts }, (_, host) => ({ name: addressOf(host), pages }))
  return siteModel({ seed: 'floor', hosts: specs }).withBase((host) => `http://${host}:${port}`)
}
