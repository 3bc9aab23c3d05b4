// Stores on a PostgreSQL server, which processes of several machines share.
import { didYouMean } from '@avocet/core/plugin'
import { shownStore, withoutCrawl, crawlIn } from '../text/store-address.ts'
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

/** `pg_dump` and its words, without a password. `file`: what it writes. */
export async function serverDumpWords(address: string, file: string): Promise<readonly string[]> {
  const crawl = crawlIn(address)
  const { schemaOf } = await import('@avocet/plugin-postgres')
  // A pattern: in double quotes it is a name, as it is written.
  const schema = crawl === undefined ? [] : [`--schema="${schemaOf(crawl)}"`]
  return ['pg_dump', '--format=custom', ...schema, `--file=${file}`, shownStore(withoutCrawl(address))]
}
