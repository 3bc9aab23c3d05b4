// What is found out about the spider: its seeds, the handlers that links name, and what `start` makes of a recorded page.
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { AvocetError, type CrawlConfig, type Plugin, type RunnableConfig, type Seed, type Spider } from '@avocet/core'
import { didYouMean } from '@avocet/core/plugin'
import { messageOf, sleepUntil, type Clock, type Fetcher } from '@avocet/core/store'
import { crawl, memoryFrontier } from 'avocet'
import { spiderSeedsOf, sourceFiles, withoutComments } from '@avocet/project/load'
import { commandLine } from '@avocet/project/place'
import { formatCount, formatCountOf } from '@avocet/project/text'
import { finding, findings, type Finding } from './finding.ts'

const MAX_SEEDS = 1_000
/** A function that makes seeds may ask a server for them, and a handler that waits for the network would wait for ever. */
const MAX_WAIT_MS = 10_000

/** The seeds, and what is to be said of them. */
interface SeedsSeen {
  readonly seeds: readonly Seed[]
  readonly findings: readonly Finding[]
}

/** Reads the first thousand, or as many as come within ten seconds. None where a crawl would refuse one. */
export async function seedsSeen(
  spider: Spider,
  clock: Clock,
  { secretParameters = [] }: Pick<CrawlConfig, 'secretParameters'>,
): Promise<SeedsSeen> {
  const seeds: Seed[] = []
  const problem = await Promise.race([
    take(spider, seeds).catch(
      (error: unknown) => `the seeds of spider ${spider.name} threw: ${messageOf(error)} (AVO_SEED_INVALID)`,
    ),
    sleepUntil(clock, clock.now() + MAX_WAIT_MS).then(
      () => 'the function that makes the seeds gave none within 10 s; see what it waits for',
    ),
  ])
  const fault = problem ?? (await refusalOf({ spider: { ...spider, seeds }, policies: [], secretParameters, clock }))
  if (fault !== undefined) return { seeds: [], findings: [finding('seeds', 'fail', fault)] }
  const looked = `${seeds.length === MAX_SEEDS ? 'the first ' : ''}${formatCount(seeds.length)} looked at`
  return { seeds, findings: [finding('seeds', 'ok', looked)] }
}

/** For a crawl that requests nothing. */
export const SILENT: Fetcher = { fetch: () => () => undefined, close: () => Promise.resolve() }

/** What a crawl says of its seeds: one that is stopped before it begins. */
async function refusalOf(config: RunnableConfig): Promise<string | undefined> {
  try {
    const run = crawl({ ...config, frontier: memoryFrontier(), fetcher: SILENT })
    run.stop()
    await run.run()
    return undefined
  } catch (error) {
    if (!(error instanceof AvocetError)) throw error
    return `${error.message} (${error.code})`
  }
}

async function take(spider: Spider, seeds: Seed[]): Promise<undefined> {
  for await (const seed of spiderSeedsOf(spider)) {
    seeds.push(seed)
    if (seeds.length === MAX_SEEDS) break
  }
  return undefined
}

// Whether the handlers that links name are there, from the text of the spider's files.
//
// A handler runs only on a page, so nothing less than a crawl knows all the names that it yields. What stands there as a text, `handler: 'offer'`,
// is seen, in the spider's file and in those that it imports by a relative path; what is put together at run time is not, and the line says so.

/** A text and nothing else: `handler: 'of' + 'fer'` names neither. */
const NAMED = /\bhandler\s*:\s*(['"`])([\w.-]+)\1(?=\s*(?:[,;)}\]]|$))/gm

/** A name and the places where it occurs. */
export interface NamedAt {
  readonly name: string
  readonly place: string
}

/** Handlers that seeds name, and the option of the plugin `sitemaps`. */
export function namedOutside(seeds: readonly Seed[], plugins: readonly Pick<Plugin, 'name' | 'linksTo'>[]): readonly NamedAt[] {
  const inSeeds = seeds.flatMap(({ handler }): NamedAt[] => (handler === undefined ? [] : [{ name: handler, place: 'a seed' }]))
  const inPlugins = plugins.flatMap(({ name: plugin, linksTo = [] }) =>
    linksTo.map((name): NamedAt => ({ name, place: plugin === 'sitemaps' ? 'sitemaps.handler' : `plugin ${plugin}` })),
  )
  return [...inSeeds, ...inPlugins]
}

/** Looks at the files that begin at `path`, and at what is named `outside` of them. */
export async function handlerFindings(spider: Spider, path: string, outside: readonly NamedAt[]): Promise<readonly Finding[]> {
  const handlers = Object.keys(spider.handlers)
  const inText = await namesFrom(path)
  const named = [...new Map([...outside, ...inText].map((one) => [one.name, one])).values()]
  const lost = findings('handlers', 'warn', await lostLinks(path))
  const missing = named.filter(({ name }) => !handlers.includes(name))
  const idle = handlers.filter((name) => name !== 'start' && !named.some((one) => one.name === name))
  if (missing.length + idle.length + lost.length === 0) {
    const said = `${formatCountOf(handlers.length, 'handler')}, each named by a link; names built at run time are not seen`
    return [finding('handlers', 'ok', said)]
  }
  return [
    ...findings(
      'handlers',
      'fail',
      missing.map(
        ({ name, place }) => `${place} names the handler '${name}', which the spider does not have${didYouMean(name, handlers)}`,
      ),
    ),
    ...findings(
      'handlers',
      'warn',
      idle.map((name) => `no link names the handler '${name}' in the source; name it in a link, or remove it`),
    ),
    ...lost,
  ]
}

async function namesFrom(path: string): Promise<readonly NamedAt[]> {
  const named: NamedAt[] = []
  for (const [file, text] of await sourceFiles(path)) {
    const code = withoutComments(text)
    for (const match of code.matchAll(NAMED)) {
      const line = code.slice(0, match.index).split('\n').length
      named.push({ name: match[2] ?? '', place: `${basename(file)}:${line}` })
    }
  }
  return named
}

/** Intervals of rules that are likely meant in seconds. */
export function intervalFindings({ recrawl = [] }: Pick<CrawlConfig, 'recrawl'>): readonly Finding[] {
  const short = [...recrawl.entries()].filter(([, { everyMs }]) => everyMs < 1_000)
  const said = short.map(
    ([n, { everyMs }]) => `recrawl[${n}].everyMs: ${everyMs} ms between two visits of a page; a minute is 60_000`,
  )
  return findings('config', 'warn', said)
}

// Calls that make links and do nothing with them, from the text as well: a `yield` was forgotten.
// A method of that name is none: `link(href) {`.
const CALL = /(?:^|;|\)|\}|(?<!\$)\{)\s*(link|page\.links)\((?![^()]*\)\s*(?::[^{]*)?\{)/
/** What a line ends with that goes on in the next one. */
const GOES_ON = /(?:[([,?:=+|&>*]|\b(?:yield|return|await|of))$/

async function lostLinks(path: string): Promise<readonly string[]> {
  return [...(await sourceFiles(path))].flatMap(([file, text]) => {
    let before = ''
    return withoutComments(text)
      .split('\n')
      .flatMap((line, n) => {
        const [whole = '', call] = CALL.exec(line) ?? []
        const isPart = /^\s*[lp]/.test(whole) && GOES_ON.test(before)
        if (line.trim() !== '') before = line.trim()
        if (call === undefined || isPart) return []
        const word = call === 'link' ? 'yield' : 'yield*'
        return [`${basename(file)}:${n + 1}: ${call}(…) without ${word} has no effect; write ${word} ${call}(…)`]
      })
  })
}

// A dry run of the handler `start` on a page that was recorded, if there is one: test/pages/NAME.html, NAME being the spider's.
//
// That is where `avocet new spider` puts it. The run fetches nothing and stores nothing. It sees what the text does not show: that the handler
// throws, that it finds nothing, and names of handlers that are put together at run time.

/** What is tried. */
interface DryRun {
  readonly spider: Spider
  /** The page is taken for the one at the first of them. */
  readonly seeds: readonly Seed[]
  readonly folder: string
}

/** Runs it. No finding where nothing is recorded. */
export async function recordedPageFindings({ spider, seeds, folder }: DryRun, clock: Clock): Promise<readonly Finding[]> {
  const file = `test/pages/${spider.name}.html`
  const body = await readFile(join(folder, file)).catch(() => undefined)
  const url = seeds[0]?.url
  if (body === undefined || url === undefined || !URL.canParse(url)) return []
  const late = sleepUntil(clock, clock.now() + MAX_WAIT_MS).then(() => `start was not done with ${file} within 10 s`)
  const [state, said] = await Promise.race([
    tried(spider, { url, body }, file).catch((error: unknown): Said => [
      'fail',
      `start threw: ${messageOf(error)}; ${commandLine(['parse', file])} says where`,
    ]),
    late.then((why): Said => ['fail', why]),
  ])
  return [{ subject: 'page', state, said: `${file}: ${said}` }]
}

type Said = readonly [Finding['state'], string]

async function tried(spider: Spider, page: { readonly url: string; readonly body: Uint8Array }, file: string): Promise<Said> {
  const { readPage } = await import('@avocet/simulator')
  const { items, links } = await readPage(spider, page)
  const handlers = Object.keys(spider.handlers)
  const missing = links.map(({ options }) => options.handler).find((name) => name !== undefined && !handlers.includes(name))
  if (missing !== undefined)
    return ['fail', `a link names the handler '${missing}', which the spider does not have${didYouMean(missing, handlers)}`]
  if (items.length + links.length === 0)
    return ['warn', `start finds nothing on it; try its selectors with ${commandLine(['shell', file])}, or record the page again`]
  return ['ok', `start yields ${formatCountOf(items.length, 'item')} and ${formatCountOf(links.length, 'link')}`]
}
