// `avocet parse`: what a handler makes of one page, from the web or from a file: its items as JSON lines, its links as a table.
import { AvocetError, type Page } from '@avocet/core'
import type { ExitCode } from '@avocet/project/command'
import { namedSpider } from '@avocet/project/load'
import { forgiveRejections, say, writeDocument, writeRecords, type Place } from '@avocet/project/place'
import { nameFrom } from '@avocet/project/store'
import { column, columnsOf, fold, formatCount, formatCountOf, printable, screenColumns, type Paint } from '@avocet/project/text'
import { asKnown, type KnownRequest } from '../fetch/known-request.ts'
import type { VisitWish } from '../fetch/visit-flags.ts'
import { visitSession, type VisitSession } from '../fetch/visit-session.ts'
import { checkHandler, chosenHandler, handledPage, leftOutOfItems, type FoundLink, type HandledPage } from './handled-page.ts'
import { checkNoRequest, isUrl, pageFromFile } from './page-from-file.ts'

/** What was typed. */
export interface ParseOptions extends VisitWish {
  /** A URL or a file. */
  readonly target: string
  readonly spiderPath?: string
  /** Default: that of a page that was kept, else the one that the crawl has for this URL, else `start`. */
  readonly handler?: string
  readonly url?: string
  readonly limit?: number
  readonly json: boolean
}

/** Handles the page and prints what came of it. Throws AVO_HANDLER_…, AVO_USAGE, AVO_SPIDER_…, AVO_SEED_INVALID. */
export async function parseCommand(options: ParseOptions, place: Place): Promise<ExitCode> {
  const { folder, stdout, stderr, paint } = place
  const spider = await namedSpider(options, place)
  if (spider === undefined)
    throw new AvocetError(
      'AVO_USAGE',
      'parse: expected a spider whose handler to run, got none; name its file: --spider spider.ts',
    )
  if (options.handler !== undefined) checkHandler(spider, options.handler)
  using _rejections = forgiveRejections(place.events, (line) => say(stderr, line))
  const session = await visitSession(options, place, { spider })
  try {
    const known = await knownOf(options, session)
    const { handler = known?.handler ?? 'start' } = options
    checkHandler(spider, handler, known?.store)
    const { page, problem, code } = await pageFor(options, { session, known }, folder)
    if (page === undefined || problem !== undefined) {
      say(stderr, `${paint('bad', 'avocet:')} parse: ${problem ?? 'no answer'}`)
      return code
    }
    say(stderr, leftOutOfItems(session.config, 'parse'))
    if (isGuess(options, known)) say(stderr, chosenHandler(spider, handler).map(printable))
    const found = await handledPage({ spider, handler, page, config: session.config }, (line) => nameFrom(folder, line))
    if (options.json) await writeDocument(stdout, documentOf(found, page, { ...options, handler }))
    else await print(found, options, place)
    return 0
  } finally {
    await session.close()
  }
}

/** Whether `start` runs because nothing says which handler has the page. A document names it. */
function isGuess({ target, handler, json }: ParseOptions, told: object | undefined): boolean {
  return isUrl(target) && !json && handler === undefined && told === undefined
}

/** The page, and what keeps it from a handler. */
type Brought = Pick<Awaited<ReturnType<VisitSession['fetch']>>, 'page' | 'code'> & { readonly problem?: string | undefined }

/** What the crawl knows of the page, also of one in a file whose address was typed. */
async function knownOf({ target, url, handler }: ParseOptions, session: VisitSession): Promise<KnownRequest | undefined> {
  const address = isUrl(target) ? target : url
  return address === undefined ? undefined : session.known(address, { ...session.request, handler })
}

async function pageFor(
  { target, url }: ParseOptions,
  { session, known }: { readonly session: VisitSession; readonly known: KnownRequest | undefined },
  folder: string,
): Promise<Brought> {
  if (!isUrl(target)) {
    checkNoRequest(session.request, 'parse')
    const { secretParameters: secret } = session.config
    const page = await pageFromFile({ target, folder, url, from: 'parse', secret })
    return { page: known ? asKnown(page, known, session.config) : page, code: 0 }
  }
  const { report, ...brought } = await session.fetch(target, { told: session.request, known })
  return { ...brought, problem: report.problem }
}

function documentOf(
  { items, links, yielded, rejects }: HandledPage,
  page: Page,
  { limit = Infinity, handler }: Pick<ParseOptions, 'limit'> & { readonly handler: string },
): object {
  const counts = { items: items.length, rejects: rejects.length, links: links.length, yieldedLinks: yielded }
  const head = { schema: 1, url: page.url.href, status: page.response.status, handler, counts }
  return { ...head, items: items.slice(0, limit), rejects: rejects.slice(0, limit), links: links.slice(0, limit) }
}

/** Told of one page. */
const MAX_REJECTS = 10
const MOST_OF_ITEM = 200

/** What the schema refused, each with the reason. */
function rejectLines({ rejects }: HandledPage, paint: Place['paint']): string[] {
  const more = rejects.length - MAX_REJECTS
  return [
    ...rejects.slice(0, MAX_REJECTS).map(({ item, reason }) => {
      const json = JSON.stringify(item)
      const shown = json.length > MOST_OF_ITEM ? `${json.slice(0, MOST_OF_ITEM - 1)}…` : json
      return `${paint('warn', 'refused by the schema:')} ${printable(reason)}  ${printable(shown)}`
    }),
    ...(more > 0 ? [`… and ${formatCountOf(more, 'more', 'more')} refused by the schema`] : []),
  ]
}

async function print(found: HandledPage, { limit }: ParseOptions, { stdout, stderr, paint }: Place): Promise<void> {
  const items = found.items.slice(0, limit)
  const records = items.map((item) => JSON.stringify(item))
  await writeRecords(stdout, records)
  say(stderr, rejectLines(found, paint))
  say(stderr, linkLines(found, { limit, columns: stderr.isTTY ? screenColumns(stderr) : undefined, paint }))
}

// What `avocet parse` says beside the items: how many there are, and on a terminal a table of the links.

const LINKS = 20
const MOST_HANDLER_COLUMNS = 16
const MOST_ANCHOR_COLUMNS = 30

/** How it is to be shown. `columns`: of the terminal; undefined where there is none, which gets no table. */
interface LinkScreen {
  readonly limit: number | undefined
  readonly columns: number | undefined
  readonly paint: Paint
}

/** Lines, ready to be printed. */
export function linkLines(found: HandledPage, { limit = LINKS, columns, paint }: LinkScreen): string[] {
  const { items, links } = found
  const shown = columns === undefined ? [] : links.slice(0, limit)
  const more = links.length - shown.length
  const counts = fold(countsOf(found), columns ?? Infinity).map((line) => paint('quiet', line))
  if (columns === undefined || shown.length === 0) return counts
  return [
    ...(items.length === 0 ? [] : ['']),
    ...table(shown, columns, paint),
    ...(more === 0
      ? []
      : [
          paint(
            'quiet',
            `… and ${formatCountOf(more, 'more', 'more')}: --limit ${formatCount(links.length).replaceAll(',', '')}`,
          ),
        ]),
    ...counts,
  ]
}

function countsOf({ items, links, yielded, dropped, rejects }: HandledPage): string {
  const others = yielded - links.length
  const notes = [
    ...(dropped === 0 ? [] : [`${formatCountOf(dropped, 'item')} dropped by plugins`]),
    ...(rejects.length === 0 ? [] : [`${formatCountOf(rejects.length, 'item')} refused by the schema`]),
    ...(others <= 0 ? [] : [`${formatCount(others)} repeated or unusable left out`]),
  ]
  const counts = `${formatCountOf(items.length, 'item')}, ${formatCountOf(links.length, 'link')}`
  return notes.length === 0 ? counts : `${counts}: ${notes.join(', ')}`
}

function table(links: readonly FoundLink[], columns: number, paint: Paint): string[] {
  const handlerColumns = widest(links.map(({ handler }) => handler), 'handler', MOST_HANDLER_COLUMNS) // prettier-ignore
  const anchors = links.map(({ anchor = '' }) => printable(anchor))
  const anchorColumns = Math.min(widest(anchors, 'anchor', MOST_ANCHOR_COLUMNS), Math.max(6, Math.floor(columns / 3)))
  const urlRoom = Math.max(20, columns - handlerColumns - anchorColumns - 4)
  const urlColumns = widest(links.map(({ url }) => url), 'url', urlRoom) // prettier-ignore
  const row = (handler: string, url: string, anchor: string): string =>
    `${column(handler, handlerColumns)}  ${column(url, urlColumns)}  ${column(anchor, anchorColumns)}`.trimEnd()
  return [
    paint('title', row('handler', 'url', 'anchor')),
    ...links.map(({ handler, url }, index) => row(printable(handler), printable(url), anchors[index] ?? '')),
  ]
}

function widest(texts: readonly string[], title: string, most: number): number {
  return Math.min(most, Math.max(columnsOf(title), ...texts.map(columnsOf)))
}
