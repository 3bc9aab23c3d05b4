// What a spider makes of a page that was recorded: no network, no waiting.
import { readFile } from 'node:fs/promises'
import { Link, pageOf, type Request, type Spider } from '@avocet/core'

/** A file in test/pages (record one: `curl -o test/pages/news.html https://site.example/news`), and the URL that it had. */
export interface Recorded {
  readonly file: string
  readonly url: string
  /** Who reads it. Default: `start`, as for seeds. */
  readonly handler?: string
}

/** The items that the handler yields, and the URLs that it would follow. */
export async function readRecorded<Item>(
  { handlers }: Spider<Item>,
  { file, url, handler = 'start' }: Recorded,
): Promise<{ readonly items: readonly Item[]; readonly links: readonly string[] }> {
  const body = await readFile(new URL(`./pages/${file}`, import.meta.url))
  const request = { url, handler, method: 'GET', headers: {}, depth: 0, priority: 0, hops: 0 } as Request
  const timings = { firstByteMs: 0, bodyMs: 0, reusedSocket: false }
  const response = { url, status: 200, headers: {}, body, wireBytes: body.byteLength, timings }
  const read = handlers[handler]
  if (read === undefined) throw new Error(`expected a handler of the spider, got '${handler}'`)
  const items: Item[] = []
  const links: string[] = []
  for await (const yielded of await read(pageOf({ request, response, html: 'parse5' }))) {
    if (yielded instanceof Link) links.push(yielded.url)
    else items.push(yielded)
  }
  return { items, links }
}
