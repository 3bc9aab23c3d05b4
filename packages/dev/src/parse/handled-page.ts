// Runs one handler over one page as a crawl would: a crawl of that page alone, whose answer is the page that is there already.
//
// So its deadline, its budget and what it may yield are a crawl's, and so are the messages. The links wait in a frontier in RAM, which is where
// they are read from: resolved, each once, and none is followed. Items are shown as the `onItem` of plugins leaves them, of those that do nothing outside.
import { AvocetError, definePlugin, itemsOf } from '@avocet/core'
import type { CrawlConfig, Json, Page, Plugin, Request, Seed, Spider } from '@avocet/core'
import { crawl, memoryFrontier } from 'avocet'
import { didYouMean, type Failure } from '@avocet/core/plugin'
import type { Frontier } from '@avocet/core/store'
import { pageOf } from '@avocet/page'
import { documentsAlone, leftOutLines, NO_WEB, onItemsAlone, withoutOutsideEffects } from '@avocet/project/plan'

/** A link as a crawl would take it. */
export interface FoundLink {
  readonly handler: string
  /** Absolute. */
  readonly url: string
  readonly anchor?: string
}

/** What a handler gave. */
export interface HandledPage {
  readonly items: readonly Json[]
  readonly links: readonly FoundLink[]
  /** Links that were yielded, with those that are there twice and those that are none. */
  readonly yielded: number
  /** Items that a plugin dropped in `onItem`. */
  readonly dropped: number
  /** What the schema refused, and why. */
  readonly rejects: readonly { readonly item: Json; readonly reason: string }[]
}

/** What is to be handled. */
export interface Handling {
  readonly spider: Spider
  readonly handler: string
  readonly page: Page
  /** Of which the limits of handlers count. */
  readonly config: CrawlConfig
}

/** Runs it. Throws AVO_HANDLER_… with the line of the user's file as `named`, AVO_USAGE for a handler that the spider does not have. */
export async function handledPage(handling: Handling, named = (place: string): string => place): Promise<HandledPage> {
  const { spider, handler, page, config } = handling
  // The page is there already: nobody needs to log in for it, and a crawl with a login waits for that.
  const { login: _login, ...loggedIn } = spider
  const { dropParameters } = spider.scope ?? {}
  checkHandler(spider, handler)
  const frontier = memoryFrontier()
  let dropped = 0
  const itemPlugins = onlyItems(handling, () => dropped++)
  const run = crawl({
    ...limitsOf(config),
    spider: {
      ...loggedIn,
      handlers: { ...spider.handlers, [handler]: readAs(page, handling) },
      seeds: [seedOf(page.request, handler)],
      scope: { within: 'any', ...(dropParameters && { dropParameters }) },
      accepts: () => true,
    },
    policies: [],
    plugins: [definePlugin({ name: 'the-page', beforeRequest: (outgoing) => outgoing.serve(page.response) }), ...itemPlugins],
    frontier,
    fetcher: NO_WEB,
    delayMs: 0,
    maxPages: 1,
  })
  const failures: Failure[] = []
  run.hooks.onHandled.tap('parse', ({ failure }) => void (failure && failures.push(failure)))
  const report = await run.run()
  const [failure] = failures
  const place = report.handlerErrors[0]?.place
  const where = place === undefined ? '' : `${named(place)}: `
  if (failure) throw new AvocetError(failure.code, where + failure.message, { cause: failure.cause })
  if (report.error) throw new AvocetError(report.error.code as AvocetError['code'], report.error.message)
  const items: Json[] = []
  for await (const item of itemsOf(frontier.reader)) items.push(item)
  const rejects = await rejectsOf(frontier)
  const found = { items, links: await linksOf(frontier), yielded: report.run.links, dropped, rejects }
  await frontier.close()
  return found
}

/** What its plugins do to items, and nothing of what they do to hosts: the page is there already. Each `null` of an `onItem` is told to `drops`. */
function onlyItems({ config, page }: Handling, drops: () => void): readonly Plugin[] {
  // Links to documents of plugins are links, too. None is followed.
  const documents = (config.plugins ?? []).filter(({ onItem }) => onItem === undefined).flatMap(documentsAlone)
  const changing = itemPluginsOf(config).map((plugin): Plugin => {
    const alone = onItemsAlone(plugin, (source) => ({ ...source, request: requestAs(page, source.request) }))
    return {
      ...alone,
      ...(plugin.handlers && { handlers: plugin.handlers }),
      async onItem(...given) {
        const answer = await alone.onItem?.(...given)
        if (answer === null) drops()
        return answer
      },
    }
  })
  return [...documents, ...changing]
}

function itemPluginsOf(config: CrawlConfig): readonly Plugin[] {
  const { policies, plugins } = withoutOutsideEffects(config)
  return [...policies, ...plugins].filter(({ onItem }) => onItem !== undefined)
}

/** Plugins whose `onItem` is left out here, as lines. */
export function leftOutOfItems({ policies = [], plugins = [] }: CrawlConfig, what: string): string[] {
  const changing = [...policies, ...plugins].filter(({ onItem }) => onItem !== undefined)
  return leftOutLines({ plugins: changing }, what)
}

/** The handler, which sees the request of `page`: the seed has no parent, and its credentials are not those of the crawl. */
function readAs(page: Page, { spider, handler, config: { userAgent } }: Handling): Spider['handlers'][string] {
  const read = spider.handlers[handler]
  return (at) => read?.(pageOf({ request: requestAs(page, at.request), response: at.response, userAgent })) ?? []
}

/** The request of `page` under the URL and for the handler that the crawl has for it here. */
function requestAs({ request }: Page, { url, hostKey, fingerprint, handler }: Request): Request {
  return { ...request, url, hostKey, fingerprint, handler }
}

/** The request as far as it decides on what core does with it. */
function seedOf({ url, method, body, data }: Page['request'], handler: string): Seed {
  return {
    url,
    handler,
    ...(method !== 'GET' && { method }),
    ...(body !== undefined && { body }),
    ...(data !== undefined && { data }),
  }
}

/** Which handler runs where nothing says so, and which others there are; nothing where it is the only one. */
export function chosenHandler({ handlers }: Spider, handler: string): string[] {
  const others = Object.keys(handlers).filter((name) => name !== handler)
  const [first] = others
  return first === undefined ? [] : [`handler ${handler}, not ${others.join(', ')}; choose another with --handler NAME`]
}

/** Throws AVO_USAGE with the handlers that there are. `from`: the store that names it. */
export function checkHandler({ name, handlers }: Spider, handler: string, from?: string): void {
  if (Object.hasOwn(handlers, handler)) return
  const names = Object.keys(handlers)
  const hint = from === undefined ? didYouMean(handler, names) : ` from ${from}; name another with --handler`
  throw new AvocetError('AVO_USAGE', `expected a handler of spider ${name} (${names.join(', ')}), got '${handler}'${hint}`)
}

function limitsOf({ clock, handlerTimeoutMs, maxYields, secretParameters }: CrawlConfig): Partial<CrawlConfig> {
  return {
    ...(clock && { clock }),
    ...(handlerTimeoutMs !== undefined && { handlerTimeoutMs }),
    ...(maxYields !== undefined && { maxYields }),
    ...(secretParameters && { secretParameters }),
  }
}

async function linksOf({ reader }: Frontier): Promise<FoundLink[]> {
  const links = await reader.requests({ state: 'waiting' })
  return links.map(({ handler, url, anchorText: anchor }) => ({ handler, url, ...(anchor !== undefined && { anchor }) }))
}

async function rejectsOf({ reader }: Frontier): Promise<HandledPage['rejects']> {
  const rejects = await reader.rejects({})
  return rejects.map(({ json, reason }) => ({ item: JSON.parse(json) as Json, reason }))
}
