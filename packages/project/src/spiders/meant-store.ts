// The store of the spider or the configuration that was named on the command line, where no store was named.
import { namedSpider } from './chosen-spider.ts'
import type { ConfigPlace } from '../config/config-file.ts'
import { configuredStore } from '../config/config-file.ts'
import { storePathOf } from '../store/store-path.ts'

/** What was typed. */
interface Meant extends Pick<Parameters<typeof namedSpider>[0], 'spiderPath' | 'crawl'> {
  readonly store?: string
}

/** What `existingStore` is given; undefined: nothing was typed that says which. Throws what loading the spider or the configuration throws. */
export async function meantStore({ store, ...named }: Meant, place: ConfigPlace): Promise<string | undefined> {
  if (store !== undefined || (named.spiderPath === undefined && named.crawl.configPath === undefined)) return store
  const spider = await namedSpider(named, place)
  if (spider === undefined) return undefined
  return storePathOf(spider.name, place.folder, (await configuredStore(place, named.crawl.configPath)).store)
}
