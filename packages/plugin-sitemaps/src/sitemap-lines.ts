// The sitemaps that a robots.txt names.
import { parseUrl } from '@avocet/core/plugin'

/** Looked at: a file of 512 KiB has room for tens of thousands. */
const MOST_LINES = 20_000
const LINE = /^\s*sitemap\s*:\s*(\S+)/i

/** Absolute http(s) URLs of the `Sitemap` lines in `text`, each once; `origin`: of the file. Source: https://www.sitemaps.org/protocol.html#submit_robots */
export function sitemapLines(text: string, origin: string): readonly string[] {
  const found = new Set<string>()
  for (const line of text.split(/\r\n|\r|\n/)) {
    const url = parseUrl(LINE.exec(line)?.[1] ?? '#', origin)
    if (url !== undefined && LINE.test(line)) found.add(url)
    if (found.size >= MOST_LINES) break
  }
  return [...found]
}
