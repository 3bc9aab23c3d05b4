// The schema of a crawl that is to be opened: by the name in its URL, else by that of the crawl. Who has neither changes what is there, and means the only one.
import { ServerConnections } from '../connection/connections.ts'
import { schemaOf, type StoreUrl } from '../connection/store-url.ts'
import { meantCrawl } from './meant-crawl.ts'

/** `name`: of the crawl; empty: whichever is there. Throws AVO_FRONTIER_MISSING where none is, AVO_USAGE where several are, AVO_FRONTIER_…. */
export async function schemaFor(url: StoreUrl, name: string, timeoutMs: number): Promise<string> {
  if (url.crawl !== undefined || name !== '') return schemaOf(url.crawl ?? name)
  const connections = new ServerConnections({ url, schema: schemaOf(''), connections: 1, timeoutMs })
  try {
    return (await meantCrawl(connections, url)).schema
  } finally {
    await connections.close()
  }
}
