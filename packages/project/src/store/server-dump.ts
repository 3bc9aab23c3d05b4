// The command of PostgreSQL that backs up the store of a crawl on a server.
import { shownStore, withoutCrawl, crawlIn } from '../text/store-address.ts'

/** `pg_dump` and its words, without a password. `file`: what it writes. */
export async function serverDumpWords(address: string, file: string): Promise<readonly string[]> {
  const crawl = crawlIn(address)
  const { schemaOf } = await import('@avocet/plugin-postgres')
  // A pattern: in double quotes it is a name, as it is written.
  const schema = crawl === undefined ? [] : [`--schema="${schemaOf(crawl)}"`]
  return ['pg_dump', '--format=custom', ...schema, `--file=${file}`, shownStore(withoutCrawl(address))]
}
