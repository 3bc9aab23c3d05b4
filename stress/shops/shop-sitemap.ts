// The sitemap of a shop, with what it says of the last change of each page: which is true at some shops.
import type { Shop } from './shop.ts'
import { DAY_MS } from './week.ts'

/** The text of `/sitemap.xml`. */
export function sitemapOf({ host, lives, traits }: Pick<Shop, 'host' | 'lives' | 'traits'>, at: number): string {
  const lastmod = (changedAt: number, since: number): string => {
    const said = { true: changedAt, now: at, never: since, ahead: changedAt + DAY_MS, day: changedAt }[traits.lastmod]
    const text = new Date(said).toISOString()
    return traits.lastmod === 'day' ? text.slice(0, 10) : text
  }
  const urls = lives.flatMap((life) => {
    const [since, path] = life.paths.findLast(([fromMs]) => at >= fromMs) ?? []
    if (since === undefined || path === undefined || life.at(at) === undefined) return []
    return [`<url><loc>https://${host}${path}</loc><lastmod>${lastmod(life.changedAt(at), since)}</lastmod></url>`]
  })
  return `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('\n')}</urlset>`
}
