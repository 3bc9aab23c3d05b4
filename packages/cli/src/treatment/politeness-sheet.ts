// How one host was treated, for its owner: what was asked of it, whether its wishes were obeyed, and how to contact the crawler. The page shows it, and a file.
import { STATUS_CODES } from 'node:http'
import { formatDuration } from '@avocet/core/plugin'
import { agentOf } from '@avocet/plugin-robots'
import type { PolitenessSheet, SheetText } from '@avocet/dashboard'
import { commandName } from '@avocet/project/place'
import { policiesText } from '@avocet/project/plan'
import {
  formatBytes,
  formatCount,
  formatCountOf,
  formatMoment,
  formatRate,
  formatShare,
  labelled,
  printable,
} from '@avocet/project/text'
import { hostInWords } from '../text/left-undone.ts'
import { handlerInWords } from '../text/store-words.ts'
import { runsAt, wishRows, type AboutCrawl } from './report-words.ts'
import { unruledOf, type Courtesy } from './courtesy.ts'
import type { HostReport } from './host-report.ts'

type Table = PolitenessSheet['tables'][number]
type SheetFact = PolitenessSheet['facts'][number]

/** All of it. */
export function politenessSheet(host: HostReport, about: AboutCrawl): PolitenessSheet {
  const runs = runsAt(host, about.lastRuns)
  const userAgent = runs.at(-1)?.userAgent
  return {
    title: host.hostKey,
    subtitle: `How the crawl ${about.name} treated this host; ${hostInWords(host, about.now)}`,
    facts: factsOf(host),
    sentences:
      host.courtesy === null
        ? [...contact(userAgent), NO_DETAILS]
        : [verdict(host), ...contact(userAgent), ...recipe(userAgent, host.courtesy)],
    tables: [...wishes(host), ...ends(host), ...yields(host), ...ofRuns(runs)],
    footer: [
      'Written by ',
      { code: commandName() },
      ` at ${formatMoment(about.now)}. All times are UTC. To compare them with your own log, search it for the user agent.`,
    ],
  }
}

/** The same as text that its owner can be sent. */
export function sheetLines({ title, subtitle, facts, sentences, tables, footer }: PolitenessSheet): string[] {
  return [
    `${title}: ${subtitle}`,
    ...sentences.map(textOf),
    '',
    ...facts.map(({ name, value, note }) => row(name, note === null ? value : `${value} (${note})`)),
    ...tables.flatMap(({ title: heading, rows }) => [
      '',
      heading,
      ...rows.map(({ cells: [name = '', ...rest] }) => row(name, rest.filter((cell) => cell !== '').join('; '))),
    ]),
    '',
    textOf(footer),
  ].map(printable)
}

function textOf(text: SheetText): string {
  return [text]
    .flat()
    .map((piece) => {
      if (typeof piece === 'string') return piece
      return 'code' in piece ? piece.code : piece.text
    })
    .join('')
}

const row = labelled(21)

const NO_DETAILS = 'No details: it was crawled without the journal.'

/** What its owner wants to know first. */
function verdict({ requests, refusals, courtesy, firstAt, lastAt }: HostReport): string {
  if (courtesy === null || firstAt === null || lastAt === null) return 'Nothing was requested from it.'
  const disobeyed = wishRows(courtesy).filter(({ isBad }) => isBad)
  const refused = refusals === 0 ? 'none was refused' : `${formatCount(refusals)} were refused (429 or 503)`
  const obeyed =
    disobeyed.length === 0 ? 'What the host asked for was obeyed' : `NOT OBEYED: ${disobeyed.map(({ name }) => name).join(', ')}`
  return `It got ${formatCountOf(requests, 'request')} in ${formatDuration(lastAt - firstAt)}, at most ${formatCount(courtesy.mostInSecond)} in any second; ${refused}. ${obeyed}.`
}

/** Site owners must be able to reach the one who crawls. */
function contact(userAgent: string | undefined): readonly SheetText[] {
  if (userAgent === undefined) return []
  const named = userAgent.match(/https?:\/\/[^\s);,]+|[^\s(<;,+]+@[^\s)>;,]+/g) ?? []
  const links = named.map((text) => ({ text, href: text.startsWith('http') ? text : `mailto:${text}` }))
  const whom = links.length === 0 ? ['; it names no contact'] : ['; contact: ', ...links.flatMap((link) => [', ', link]).slice(1)]
  return [['Requests were sent as ', { code: userAgent }, ...whom, '.']]
}

/** How its owner slows the crawler down, or stops it. */
function recipe(userAgent: string | undefined, courtesy: Courtesy): readonly SheetText[] {
  const atOnce = ['a 429 with ', { code: 'Retry-After' }, ' pauses it at once.'] as const
  if (userAgent === undefined || unruledOf(courtesy) > 0) return [['To slow it down, ', ...atOnce]]
  const code = (line: string): { readonly code: string } => ({ code: line })
  const group = [code(`User-agent: ${agentOf(userAgent)}`), ' and below it ', code('Crawl-delay: 10'), ' (seconds), or ']
  return [
    [
      'To slow it down or to stop it, write into robots.txt ',
      ...group,
      code('Disallow: /'),
      '. It reads that within a day; ',
      ...atOnce,
    ],
  ]
}

function factsOf({
  requests,
  refusals,
  networkErrors,
  wireBytes,
  firstAt,
  lastAt,
  foundRps,
  firstByte,
  courtesy,
  ...host
}: HostReport): readonly SheetFact[] {
  const fact = (name: string, value: string, note: string | null = null): SheetFact => ({ name, value, note })
  const most = (count: number | undefined): string => (count === undefined ? '–' : formatCount(count))
  return [
    fact('requests', formatCount(requests), formatBytes(wireBytes)),
    fact('pages', formatCount(host.done), `${formatCount(host.waiting)} waiting, ${formatCount(host.failed)} failed`),
    fact('refused', formatCount(refusals), formatShare(refusals, requests)),
    fact('network errors', formatCount(networkErrors), formatShare(networkErrors, requests)),
    fact('most in any second', most(courtesy?.mostInSecond), `${most(courtesy?.mostInMinute)} in any minute`),
    fact('smallest gap', formatDuration(courtesy?.smallestGapMs), 'from start to start'),
    fact('rate', formatRate(foundRps), 'found so far'),
    fact('half answered within', formatDuration(firstByte?.halfMs), `9 in 10 within ${formatDuration(firstByte?.nineInTenMs)}`),
    ...(firstAt === null || lastAt === null
      ? []
      : [fact('crawled for', formatDuration(lastAt - firstAt), `${formatMoment(firstAt)} to ${formatMoment(lastAt)}`)]),
  ]
}

/** robots.txt, Crawl-delay and Retry-After: what was asked, and whether it was obeyed. */
function wishes({ courtesy, lastAt }: HostReport): readonly Table[] {
  if (courtesy === null || lastAt === null) return []
  const rows = wishRows(courtesy).map(({ name, words, isBad }) => ({ cells: [name, words], isBad }))
  return [{ title: 'What the host asked for', columns: ['wish', 'result'], rows }]
}

/** How requests ended. */
function ends({ ends: all }: HostReport): readonly Table[] {
  const total = all.reduce((sum, { count }) => sum + count, 0)
  const rows = all
    .toSorted((a, b) => b.count - a.count)
    .map(({ how, count, lastAt, url }) => ({
      cells: [answerInWords(how), formatCount(count), formatShare(count, total), formatMoment(lastAt), url ?? ''],
      isBad: false,
    }))
  return rows.length === 0
    ? []
    : [{ title: 'Statuses and network errors', columns: ['answer', 'requests', 'share', 'last one', 'last page'], rows }]
}

/** `HTTP 404 Not Found`. */
function answerInWords(how: string): string {
  if (how === 'others') return 'further kinds'
  return `${/^\d/.test(how) ? 'HTTP ' : ''}${how} ${STATUS_CODES[how] ?? ''}`.trimEnd()
}

/** What handlers got. */
function yields({ handlers }: HostReport): readonly Table[] {
  const rows = handlers.map((each) => ({ cells: [handlerInWords(each.handler), yieldInWords(each)], isBad: each.driedUp }))
  return rows.length === 0 ? [] : [{ title: 'Items', columns: ['handler', 'items'], rows }]
}

/** `400 items of 440 pages, 3 dropped by plugins; NO ITEMS in the last 40 pages`. */
function yieldInWords(counts: HostReport['handlers'][number]): string {
  const { items, pages, dropped, spoiled, rejects, barren, driedUp } = counts
  const all = [
    `${formatCountOf(items, 'item')} of ${formatCountOf(pages, 'page')}`,
    ...(dropped > 0 ? [`${formatCount(dropped)} dropped by plugins`] : []),
    ...(rejects > 0 ? [`${formatCount(rejects)} refused by the schema`] : []),
    ...(spoiled > 0 ? [`${formatCountOf(spoiled, 'page')} failed for an item`] : []),
  ]
  const dry = driedUp ? `; NO ITEMS in the last ${formatCountOf(barren, 'page')}` : ''
  return `${all.join(', ')}${dry}`
}

/** As whom, and by which policies, as they were then. */
function ofRuns(runs: AboutCrawl['lastRuns']): readonly Table[] {
  const rows = runs.map(({ startedAt, userAgent, plugins, hostOptions = {} }) => ({
    cells: [formatMoment(startedAt), userAgent, policiesText(plugins, hostOptions)],
    isBad: false,
  }))
  return rows.length === 0 ? [] : [{ title: 'Runs', columns: ['began', 'user agent', 'policies'], rows }]
}
