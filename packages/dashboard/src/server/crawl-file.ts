// A crawl as one file: the page with all that it shows, as it was when the file was written. It needs no server and no network, and changes nothing.
//
// The parts of each view are those that a stream would send. They are compressed, and the page unpacks them: 800 hosts take less room than its script.
import { deflateRawSync } from 'node:zlib'
import type { CrawlShelf, CrawlSource } from '../crawl-source.ts'
import type { HostLine } from '../picture.ts'
import { FIRST_WISH, keptUnder, type FileContent, type ViewWish } from '../view-wish.ts'
import { pageFiles } from './replies.ts'
import { viewParts, type ViewParts } from './view-parts.ts'

/** What a file is of. */
export interface CrawlFileWish {
  /** As the page calls the crawl. */
  readonly crawl: string
  readonly source: CrawlSource
  /** How this host was treated, for its owner: nothing else is in the file. */
  readonly host?: string
  /** Hosts with a view of their own, those in trouble first. Default 100. */
  readonly hosts?: number
}

const DEFAULT_HOSTS = 100
/** Rows of the table of hosts. */
const MAX_ROWS = 5_000
const ROWS_AT_ONCE = 60
/** Nothing is loaded, and nothing can be sent. */
const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

/** The whole file. Undefined where the crawl does not know `host`. */
export async function crawlFile(wish: CrawlFileWish): Promise<string | undefined> {
  const content = wish.host === undefined ? await wholeCrawl(wish) : await oneHost(wish, wish.host)
  if (content === undefined) return undefined
  const files = await pageFiles()
  const text = (name: string): string => new TextDecoder().decode(files.get(name)?.content)
  const data = deflateRawSync(JSON.stringify(content)).toString('base64')
  return text('index.html')
    .replace('<link rel="stylesheet" href="/app.css">', () => `<style>${text('app.css')}</style>`)
    .replace('<meta charset="utf-8">', (first) => `${first}\n<meta http-equiv="Content-Security-Policy" content="${POLICY}">`)
    .replace(
      '<script type="module" src="/app.js"></script>',
      () =>
        `<script type="text/plain" id="file">${data}</script>\n<script type="module">${text('app.js').replaceAll('</script', String.raw`<\/script`)}</script>`,
    )
}

async function oneHost({ crawl, source }: CrawlFileWish, host: string): Promise<FileContent | undefined> {
  if ((await source.politeness(host)) === undefined) return undefined
  return contentOf({ crawl, source }, [{ view: 'politeness', key: host }])
}

async function wholeCrawl({ crawl, source, hosts = DEFAULT_HOSTS }: CrawlFileWish): Promise<FileContent> {
  const rows = await allHosts(source)
  const keys = [...rows.keys()]
  const ofHosts = keys.slice(0, hosts).flatMap((key) => [{ view: 'host', key } as const, { view: 'politeness', key } as const])
  const whole = (['now', 'items', 'failures'] as const).map((view) => ({ view, key: '' }))
  const content = await contentOf({ crawl, source }, [...whole, ...ofHosts])
  const { total } = await source.hosts({ ...FIRST_WISH, count: 1 })
  const table = {
    hosts: { total, indexed: total, keys },
    ...Object.fromEntries([...rows].map(([key, row]) => [`row ${key}`, row])),
  }
  const views = { ...content.views, [keptUnder({ view: 'hosts', key: '' })]: { ...headOf(content), ...table } }
  return { ...content, views }
}

function headOf({ views }: FileContent): ViewParts {
  const { head, at, offers } = views[keptUnder({ view: 'now', key: '' })] ?? {}
  return { head, at, offers }
}

async function contentOf(
  { crawl, source }: Pick<CrawlFileWish, 'crawl' | 'source'>,
  wanted: readonly Pick<ViewWish, 'view' | 'key'>[],
): Promise<FileContent> {
  const steering = { offers: [], act: async () => '' }
  const shelf: CrawlShelf = { crawls: async () => [], crawl: async () => ({ source, steering }) }
  const views: Record<string, ViewParts> = {}
  for (const each of wanted) views[keptUnder(each)] = await viewParts(shelf, { ...FIRST_WISH, crawl, ...each })
  const { view = 'now', key = '' } = wanted[0] ?? {}
  return { at: (await source.head()).at, first: { view, crawl, key }, views }
}

/** In the order of the table, which is whole once the source has read all hosts. */
async function allHosts(source: CrawlSource): Promise<ReadonlyMap<string, HostLine>> {
  const rows = new Map<string, HostLine>()
  let read = -1
  for (let { indexed, total } = await source.hosts(FIRST_WISH); indexed < total && indexed > read;) {
    read = indexed
    ;({ indexed, total } = await source.hosts(FIRST_WISH))
  }
  for (let next = 0; next < MAX_ROWS;) {
    const { rows: some, from, matching } = await source.hosts({ ...FIRST_WISH, from: next, count: ROWS_AT_ONCE })
    for (const row of some) rows.set(row.hostKey, row)
    next = from + some.length
    if (some.length === 0 || next >= matching) break
  }
  return rows
}
