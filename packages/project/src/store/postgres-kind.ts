// Stores on a PostgreSQL server, which processes of several machines share.
import { didYouMean } from '@avocet/core/plugin'
import type { StoreKind } from './store-kind.ts'

/** By URL. */
export const POSTGRES_KIND: StoreKind = {
  async frontier(url, { clock }) {
    const { postgresFrontier } = await import('@avocet/plugin-postgres')
    return postgresFrontier(url, clock && { clock })
  },
  async reader(url) {
    const { openPostgresReader } = await import('@avocet/plugin-postgres')
    return openPostgresReader(url, didYouMean)
  },
  async exists(url) {
    const { hasCrawl } = await import('@avocet/plugin-postgres')
    return hasCrawl(url)
  },
  async probe(url, spec) {
    const { probePostgres } = await import('@avocet/plugin-postgres')
    await probePostgres(url, { spec })
  },
  async remove(url) {
    const { removeCrawl } = await import('@avocet/plugin-postgres')
    await removeCrawl(url)
  },
}
