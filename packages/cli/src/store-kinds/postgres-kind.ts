// Stores on a PostgreSQL server, which processes of several machines share.
import type { Frontier, FrontierReader } from '@avocet/core/store'
import { AvocetError } from '@avocet/core'
import { crawlIn } from './store-address.ts'
import type { StoreKind } from './store-kind.ts'

/** What the plugin has for the command. */
interface PostgresPlugin {
  postgres(url: string, options?: object): Frontier
  openPostgresReader(url: string): Promise<FrontierReader>
  listCrawls(url: string): Promise<readonly { readonly name: string }[]>
  probePostgres(url: string): Promise<unknown>
  removeCrawl(url: string): Promise<void>
}

/** By URL. */
export const POSTGRES_KIND: StoreKind = {
  frontier: async (url, { clock }) => (await plugin()).postgres(url, clock === undefined ? {} : { clock }),
  reader: async (url) => (await plugin()).openPostgresReader(url),
  async exists(url) {
    const name = crawlIn(url)
    const crawls = await (await plugin()).listCrawls(url)
    return name === undefined ? crawls.length > 0 : crawls.some((crawl) => crawl.name === name)
  },
  async probe(url) {
    await (await plugin()).probePostgres(url)
  },
  remove: async (url) => (await plugin()).removeCrawl(url),
}

const PLUGIN = '@avocet/plugin-postgres'

async function plugin(): Promise<PostgresPlugin> {
  try {
    return (await import(PLUGIN)) as PostgresPlugin
  } catch (error) {
    throw new AvocetError('AVO_FRONTIER_UNUSABLE', `expected ${PLUGIN} for a store on PostgreSQL, cannot load it`, {
      cause: error,
    })
  }
}
