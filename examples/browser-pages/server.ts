// Serves the shop on this machine. Run it by itself to have a shop to crawl: node server.ts [port]
import { serveSite, type ServedSite, type ServeOptions } from '../check/serve-site.ts'
import { shopAnswer } from './site.ts'

/** A shop that is open. */
export interface AppShop extends ServedSite {
  /** How often each path was requested. */
  readonly asked: ReadonlyMap<string, number>
}

/** Opens it. */
export async function openAppShop(options: ServeOptions = {}): Promise<AppShop> {
  const asked = new Map<string, number>()
  const served = await serveSite(({ url = '/' }) => {
    asked.set(url, (asked.get(url) ?? 0) + 1)
    return shopAnswer(url)
  }, options)
  return { ...served, asked }
}

if (process.argv[1] === import.meta.filename) {
  const { origin } = await openAppShop({ port: Number(process.argv[2] ?? 8046) })
  console.log(`The shop is open: ${origin}/`)
}
