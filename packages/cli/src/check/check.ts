// `avocet check`: whether a crawl would run, without crawling; one line a subject, in the order in which it would go wrong: the later ones need the earlier
// ones.
import { relative } from 'node:path'
import { crawl, memoryFrontier } from 'avocet'
import { DEFAULTS, type Clock } from '@avocet/core/store'
import { type Plugin, type Spider, type CrawlConfig, type Seed, AvocetError } from '@avocet/core'
import { didYouMean } from '@avocet/core/plugin'
import type { ExitCode } from '@avocet/project/command'
import { type ChosenSpider, filesNaming, sourceFiles, spiderCommands } from '@avocet/project/load'
import { planOf, type CrawlPlan, treatmentText } from '@avocet/project/plan'
import { storePathOf } from '@avocet/project/store'
import type { CrawlOptions } from '@avocet/project/options'
import { writeDocument, print, say, type Place, commandName } from '@avocet/project/place'
import { fold, screenColumns, paintFor, type Paint, printable, formatCountOf } from '@avocet/project/text'
import { nameResolver } from '@avocet/fetcher-http'
import { robotsFindings } from './robots.ts'
import { finding, type Finding, findings } from './finding.ts'
import { intervalFindings, seedsSeen, SILENT } from './spider-findings.ts'
import { roundFindings } from './rounds.ts'
import { storeFindings } from './store.ts'

/** What was typed. */
export interface CheckWish {
  readonly options: CrawlOptions
  /** Nothing that needs the network. */
  readonly offline: boolean
  /** Warnings count as problems. */
  readonly strict: boolean
}

const STATES = {
  ok: { word: 'ok  ', tone: 'good' },
  warn: { word: 'warn', tone: 'warn' },
  fail: { word: 'FAIL', tone: 'bad' },
} as const

/** Of what a plan, and a plugin that opens, may throw. */
const SUBJECTS: ReadonlyMap<string, Finding['subject']> = new Map([
  ['AVO_CONFIG_INVALID', 'config'],
  ['AVO_SEED_INVALID', 'seeds'],
  ['AVO_PLUGIN_OPEN', 'plugins'],
])
/** As wide as the longest subject. */
const SUBJECT_COLUMNS = 8

/** Prints the findings as they come; with `json` one document. The exit code is 4 when something fails; with `strict` also when there is a warning. */
export async function checkCommand(wish: CheckWish, place: Place): Promise<ExitCode> {
  const { stdout, stderr, folder } = place
  const { json } = wish.options
  const found: Finding[] = []
  for await (const each of allFindings(wish, place)) {
    found.push(each)
    if (!json) await print(stdout, linesOf(fromHere(each, folder), screenColumns(stdout), paintFor(stdout)))
  }
  const failed = found.filter(({ state }) => state === 'fail' || (wish.strict && state === 'warn')).length
  if (json) await writeDocument(stdout, { schema: 1, ok: failed === 0, findings: found })
  else if (failed > 0) say(stderr, `${formatCountOf(failed, 'problem')} found`)
  return failed > 0 ? 4 : 0
}

function noSpider(commands = `${commandName()} check spider.ts`): Finding {
  return finding('spider', 'fail', `none; name one: ${commands}`)
}

/** Paths below the folder are short. */
function fromHere(found: Finding, folder: string): Finding {
  return { ...found, said: found.said.replaceAll(`${folder}/`, '') }
}

function linesOf({ subject, state, said }: Finding, columns: number, paint: Paint): readonly string[] {
  const { word, tone } = STATES[state]
  const indent = ' '.repeat(4 + 2 + SUBJECT_COLUMNS + 2)
  const [first = '', ...rest] = fold(printable(said), Math.max(40, columns - indent.length))
  return [`${paint(tone, word)}  ${subject.padEnd(SUBJECT_COLUMNS)}  ${first}`, ...rest.map((line) => indent + line.trimStart())]
}

/** Gives each line as soon as it is known: the network may take seconds. Throws AVO_USAGE. */
async function* allFindings({ options, offline }: CheckWish, place: Place): AsyncGenerator<Finding> {
  const { folder, clock } = place
  const plan = await planOf(options, place).catch((error: unknown) => planProblems(error))
  if (Array.isArray(plan)) {
    yield* plan
    return
  }
  const { loaded, chosen } = plan
  yield finding('config', 'ok', loaded ? relative(folder, loaded.path) : 'none; built-in defaults apply')
  yield agentFinding(plan)
  if (!chosen) {
    yield noSpider(await spiderCommands('check', folder))
    return
  }
  const { spider } = chosen
  yield await spiderFinding(chosen, folder)
  const { seeds, findings: ofSeeds } = await seedsSeen(spider, clock, plan.config)
  yield* ofSeeds
  yield* sessionFindings(seeds, plan.config.sessions)
  const ofPlugins = pluginsFinding(plan.config, spider, clock)
  yield ofPlugins
  yield* sinksFindings(plan)
  yield* intervalFindings(plan.config)
  yield* loginFindings(spider, plan.config.plugins)
  if (plan.config.frontier && options.store === undefined)
    yield finding('store', 'ok', "the configuration's own: not opened here")
  else yield* storeAndRounds(storePathOf(spider.name, folder, options.store ?? plan.configuredStore), plan, clock)
  if (offline || [...ofSeeds, ofPlugins].some(({ state }) => state === 'fail')) return
  if (seeds.length > 0) yield* await robotsFindings(plan.config, seeds).catch(planProblems)
}

async function* storeAndRounds(path: string, plan: CrawlPlan, clock: Clock): AsyncGenerator<Finding> {
  const ofStore = await storeFindings(path, wantedOf(plan, clock))
  yield* ofStore
  if (ofStore.every(({ state }) => state !== 'fail')) yield* await roundFindings(path, plan.config, clock.now())
}

/** One for each mistake of a configuration and its spider. */
function planProblems(error: unknown): Finding[] {
  if (!(error instanceof AvocetError) || error.code === 'AVO_USAGE') throw error
  const others = error.cause instanceof AggregateError ? error.cause.errors.flatMap(planProblems) : []
  return [finding(SUBJECTS.get(error.code) ?? 'spider', 'fail', `${error.message} (${error.code})`), ...others]
}

/** Two of one name would share a store, and items of both would be in each output. */
async function spiderFinding({ spider, path }: ChosenSpider, folder: string): Promise<Finding> {
  if (path === undefined) return finding('spider', 'ok', spider.name)
  const from = `${spider.name}, from ${relative(folder, path)}`
  const own = await sourceFiles(path)
  const others = (await filesNaming(spider.name, folder)).filter((file) => !own.has(file)).map((file) => relative(folder, file))
  if (others.length === 0) return finding('spider', 'ok', from)
  return finding(
    'spider',
    'warn',
    `${from}: a spider of this name is in ${others.join(', ')} too, and would share its store; rename one`,
  )
}

/** How the crawl would open its store. */
function wantedOf({ config }: CrawlPlan, clock: Clock): Parameters<typeof storeFindings>[1] {
  return { spec: { hostKeying: config.hostKeying ?? 'host' }, clock }
}

/** Somebody whose site is crawled must be able to find out by whom, and complain. */
function agentFinding({ settled }: CrawlPlan): Finding {
  const setting = settled.get('userAgent')
  const agent = String(setting?.value)
  const todo = "add your name and a contact: userAgent: 'name (+https://your.example/bot)'"
  if (setting?.origin.from === 'built-in') return finding('agent', 'warn', `the default names only Avocet; ${todo}`)
  if (/https?:\/\/\S+|\S+@\S+\.\S+/.test(agent)) return finding('agent', 'ok', agent)
  return finding('agent', 'warn', `'${agent}' names no contact; ${todo}`)
}

/** Whether a sink can be written to is not tried: opening one may make a table, or a file. */
function sinksFindings({ config: { sinks = [] } }: CrawlPlan): readonly Finding[] {
  return sinks.length === 0 ? [] : [finding('sinks', 'ok', `${sinks.map(({ name }) => name).join(', ')}: not opened here`)]
}

/** Core checks plugins, ranges and the spider when a crawl is made. */
function pluginsFinding(config: CrawlPlan['config'], spider: Spider, clock: Clock): Finding {
  try {
    const { resolver, nameServers, ...rest } = config
    nameResolver({ clock, ...(resolver && { resolver }), ...(nameServers && { nameServers }) }).close()
    crawl({ ...(config.fetcher ? config : { ...rest, fetcher: SILENT }), spider, frontier: memoryFrontier() })
    // It looks for its program when a crawl begins, and starts it with the first page.
    config.browser?.({ http: SILENT, clock, limits: DEFAULTS.sizeLimits })
    return finding('policies', 'ok', treatmentText(config))
  } catch (error) {
    if (!(error instanceof AvocetError)) throw error
    return finding(error.code === 'AVO_PLUGIN_INVALID' ? 'plugins' : 'config', 'fail', `${error.message} (${error.code})`)
  }
}

/** No finding where the spider does not log in. */
function loginFindings({ login, name: spider }: Spider, plugins: readonly Pick<Plugin, 'name'>[]): readonly Finding[] {
  if (login === undefined) return []
  if (plugins.some(({ name }) => /cookie/i.test(name))) return [finding('login', 'ok', 'not tried; its cookies are kept')]
  const jar = `spider ${spider} logs in, and no plugin keeps cookies: add cookies() of @avocet/plugin-cookies to plugins`
  return [finding('login', 'fail', jar)]
}

/**
 * Seeds may name any session, so one that the configuration does not have is no error. But where a similar one has a proxy or credentials that no seed uses,
 * requests would go without them.
 */
function sessionFindings(seeds: readonly Seed[], sessions: CrawlConfig['sessions'] = {}): readonly Finding[] {
  const named = new Set(seeds.flatMap(({ session }) => (typeof session === 'string' ? [session] : [])))
  const idle = Object.keys(sessions).filter((name) => !named.has(name))
  const strangers = [...named].filter((name) => !Object.hasOwn(sessions, name) && didYouMean(name, idle) !== '')
  const line = (name: string): string =>
    `session ${name} of a seed is not among the sessions of the configuration${didYouMean(name, idle)}: it has only cookies`
  return findings('seeds', 'warn', strangers.map(line))
}
