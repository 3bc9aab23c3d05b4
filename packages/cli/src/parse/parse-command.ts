// `avocet parse`: what a handler makes of one page, from the web or from a file: its items as JSON lines, its links as a table.
import { relative } from 'node:path'
import { AvocetError, type Page, type Spider } from '@avocet/core'
import { writeDocument, writeRecords } from '../output/machines.ts'
import { say } from '../output/people.ts'
import type { ExitCode } from '../exit-code.ts'
import { visitSession, type VisitSession } from '../fetch/visit-session.ts'
import type { Place } from '../place.ts'
import { fold } from '../text/columns.ts'
import { screenColumns } from '../view/screen-columns.ts'
import { namedSpider } from './named-spider.ts'
import { forgiveRejections } from './forgiven-rejections.ts'
import { checkHandler, handledPage, type HandledPage } from './handled-page.ts'
import { linkLines } from './link-lines.ts'
import type { ParseOptions } from './parse-options.ts'
import { isUrl, pageFromFile } from './page-from-file.ts'
import { userLine } from './user-line.ts'

/** Handles the page and prints what came of it. Throws AVO_HANDLER_…, AVO_USAGE, AVO_SPIDER_…, AVO_SEED_INVALID. */
export async function parseCommand(options: ParseOptions, place: Place): Promise<ExitCode> {
  const { folder, stderr, paint } = place
  const spider = await namedSpider(options, place)
  if (spider === undefined)
    throw new AvocetError(
      'AVO_USAGE',
      'parse: expected a spider whose handler to run, got none; name its file: --spider spider.ts',
    )
  checkHandler(spider, options.handler)
  using _rejections = forgiveRejections((line) => say(stderr, fold(line, screenColumns(stderr))))
  const session = await visitSession(options, place, spider)
  try {
    const { page, problem, code } = await pageFor(options, session, place)
    if (page === undefined || problem !== undefined) {
      say(stderr, fold(`${paint('bad', 'avocet:')} parse: ${problem ?? 'no answer'}`, screenColumns(stderr)))
      return code
    }
    await print(await handled({ options, spider, page, session, folder }), { options, page, place })
    return 0
  } finally {
    await session.close()
  }
}

interface Brought {
  readonly page?: Page | undefined
  readonly problem?: string | undefined
  readonly code: ExitCode
}

async function pageFor({ target, url }: ParseOptions, session: VisitSession, { folder }: Place): Promise<Brought> {
  if (!isUrl(target)) {
    const { html = 'parse5', secretParameters: secret } = session.config
    return { page: await pageFromFile({ target, folder, url, html, from: 'parse', secret }), code: 0 }
  }
  const { page, told, code } = await session.fetch(target)
  return { page, problem: told.problem, code }
}

interface Handled {
  readonly options: ParseOptions
  readonly spider: Spider
  readonly page: Page
  readonly session: VisitSession
  readonly folder: string
}

function handled({ options, spider, page, session, folder }: Handled): Promise<HandledPage> {
  return handledPage({ spider, handler: options.handler, page, config: session.config }, (error) => {
    const line = userLine(error)
    return line === undefined ? undefined : fromHere(line, folder)
  })
}

function fromHere(path: string, folder: string): string {
  const short = relative(folder, path)
  return short.startsWith('..') ? path : short
}

interface Printing {
  readonly options: ParseOptions
  readonly page: Page
  readonly place: Place
}

async function print(found: HandledPage, { options, page, place }: Printing): Promise<void> {
  const { limit = Infinity, json, handler } = options
  const items = found.items.slice(0, limit)
  if (json) {
    const { links, yielded } = found
    const counts = { items: found.items.length, links: links.length, yieldedLinks: yielded }
    const head = { schema: 1, url: page.url.href, status: page.response.status, handler, counts }
    return writeDocument(place.stdout, { ...head, items, links: links.slice(0, limit) })
  }
  await writeRecords(
    place.stdout,
    items.map((item) => JSON.stringify(item)),
  )
  const columns = place.stderr.isTTY ? screenColumns(place.stderr) : undefined
  say(place.stderr, linkLines(found, { limit: options.limit, columns, paint: place.paint }))
}
