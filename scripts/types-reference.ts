// The generated pages of docs/reference about types: what spiders are made of, pages, crawls, and webs in JSON. Texts and examples are doc comments.
import { casesOf, docOf, membersOf, type DocComment, type Member } from './declarations.ts'
import { table } from './markdown-table.ts'

/** What a section is about: a name that the file exports, and what it shows of it. */
type Section = readonly [
  title: string,
  path: string,
  name: string,
  shows: 'members' | 'cases' | 'text',
  ...parents: (readonly [string, string])[],
]

const CORE = 'packages/core/src'
const EXTRACT = 'packages/extract/src'
const MODEL = 'packages/simulator/src/site-model'
const PLUGIN = `${CORE}/plugin.ts`
const EXCHANGE = `${CORE}/exchange.ts`
const VOTED = [EXCHANGE, 'Voted'] as const

const SPIDERS: readonly Section[] = [
  ['spider()', `${CORE}/spider.ts`, 'spider', 'text'],
  ['Spider', `${CORE}/spider.ts`, 'Spider', 'members'],
  ['spiderWith()', `${CORE}/spider-arguments.ts`, 'spiderWith', 'text'],
  ['Arguments', `${CORE}/spider-arguments.ts`, 'ArgumentOptions', 'members'],
  ['Seed', `${CORE}/seed.ts`, 'Seed', 'members'],
  ['Scope', `${CORE}/spider.ts`, 'Scope', 'members'],
  ['Handler', `${CORE}/handler.ts`, 'Handler', 'text'],
  ['link()', `${CORE}/link.ts`, 'link', 'text'],
  ['LinkOptions', `${CORE}/link.ts`, 'LinkOptions', 'members'],
  ['Link', `${CORE}/link.ts`, 'Link', 'members'],
] // prettier-ignore

const PAGES: readonly Section[] = [
  ['Page', `${CORE}/page.ts`, 'Page', 'members', [`${CORE}/page-data.ts`, 'PageData']],
  ['Anchor', `${CORE}/page.ts`, 'Anchor', 'members'],
  ['FollowOptions', `${CORE}/page.ts`, 'FollowOptions', 'members', [`${CORE}/link.ts`, 'LinkOptions']],
  ['JsonLd', `${CORE}/page-data.ts`, 'JsonLd', 'members'],
  ['MicrodataItem', `${CORE}/page-data.ts`, 'MicrodataItem', 'members'],
  ['OpenGraph', `${CORE}/page-data.ts`, 'OpenGraph', 'members'],
  ['OpenGraphMedia', `${CORE}/page-data.ts`, 'OpenGraphMedia', 'members'],
  ['PageMeta', `${CORE}/page-data.ts`, 'PageMeta', 'members'],
  ['PageTable', `${CORE}/page-data.ts`, 'PageTable', 'members'],
  ['Feed', `${CORE}/page-data.ts`, 'Feed', 'members'],
  ['FeedEntry', `${CORE}/page-data.ts`, 'FeedEntry', 'members'],
  ['offerOf()', `${EXTRACT}/offer-of.ts`, 'offerOf', 'text'],
  ['PageOffer', `${EXTRACT}/offer.ts`, 'PageOffer', 'members', [`${EXTRACT}/offer.ts`, 'ProductFacts']],
  ['OfferVariant', `${EXTRACT}/offer.ts`, 'OfferVariant', 'members'],
  ['OfferConflict', `${EXTRACT}/offer.ts`, 'OfferConflict', 'members'],
  ['UnreadFact', `${EXTRACT}/offer.ts`, 'UnreadFact', 'members'],
  ['OfferOptions', `${EXTRACT}/offer.ts`, 'OfferOptions', 'members', [`${EXTRACT}/offer.ts`, 'OfferReading']],
  ['parsePrice()', `${EXTRACT}/price.ts`, 'parsePrice', 'text'],
  ['Price', `${EXTRACT}/price.ts`, 'Price', 'members', [`${EXTRACT}/price.ts`, 'Amount']],
  ['PriceHint', `${EXTRACT}/price.ts`, 'PriceHint', 'members'],
  ['Request', `${CORE}/request.ts`, 'Request', 'members'],
  ['Earlier', `${CORE}/request.ts`, 'Earlier', 'members', [`${CORE}/request.ts`, 'Validators']],
  ['Missing', `${CORE}/request.ts`, 'Missing', 'members'],
  ['Response', `${CORE}/response.ts`, 'Response', 'members', [`${CORE}/response.ts`, 'ResponseHead']],
  ['Timings', `${CORE}/response.ts`, 'Timings', 'members'],
] // prettier-ignore

const CRAWLS: readonly Section[] = [
  ['crawl()', 'packages/avocet/src/crawl.ts', 'crawl', 'text'],
  ['Crawl', `${CORE}/crawl/crawl.ts`, 'Crawl', 'members'],
  ['StopWait', `${CORE}/crawl/drain.ts`, 'StopWait', 'members'],
  ['Control', `${CORE}/controls/control.ts`, 'Control', 'cases'],
  ['LimitsChange', `${CORE}/controls/control.ts`, 'OrderedLimits', 'members'],
  ['AddedSeed', `${CORE}/controls/control.ts`, 'AddedSeed', 'members'],
  ['GivenUpChange', `${CORE}/controls/control.ts`, 'GivenUpChange', 'members'],
  ['itemsOf()', `${CORE}/items-of.ts`, 'itemsOf', 'text'],
  ['CrawlReport', `${CORE}/report.ts`, 'CrawlReport', 'members'],
  ['Ending', `${CORE}/report.ts`, 'Ending', 'text'],
  ['RunCounts', `${CORE}/report.ts`, 'RunCounts', 'members'],
  ['Counts', `${CORE}/frontier-reader.ts`, 'Counts', 'members'],
  ['HandlerErrorGroup', `${CORE}/handler-error.ts`, 'HandlerErrorGroup', 'members', [`${CORE}/handler-error.ts`, 'HandlerError']],
  ['RejectGroup', `${CORE}/reject.ts`, 'RejectGroup', 'members'],
  ['SilentHandler', `${CORE}/report.ts`, 'SilentHandler', 'members'],
  ['DriedUp', `${CORE}/report.ts`, 'DriedUp', 'members'],
  ['SourceCount', `${CORE}/source-count.ts`, 'SourceCount', 'members'],
  ['RefusedByRule', `${CORE}/report.ts`, 'RefusedByRule', 'members'],
  ['RefusalRule', `${CORE}/report.ts`, 'RefusalRule', 'text'],
  ['SinkStatus', `${CORE}/sink-status.ts`, 'SinkStatus', 'members'],
  ['Probation', `${CORE}/missing-pages.ts`, 'Probation', 'members'],
  ['PageOnProbation', `${CORE}/missing-pages.ts`, 'PageOnProbation', 'members'],
  ['ClosedPattern', `${CORE}/closed-pattern.ts`, 'ClosedPattern', 'members'],
  ['ClosedFor', `${CORE}/closed-pattern.ts`, 'ClosedFor', 'text'],
  ['CrawlStatus', `${CORE}/report.ts`, 'CrawlStatus', 'members'],
  ['BesideRun', `${CORE}/settled-beside.ts`, 'BesideRun', 'members'],
  ['SettledBeside', `${CORE}/settled-beside.ts`, 'SettledBeside', 'members'],
  ['DrainStatus', `${CORE}/report.ts`, 'DrainStatus', 'members'],
  ['PausedBy', `${CORE}/report.ts`, 'PausedBy', 'text'],
  ['HostStatus', `${CORE}/report.ts`, 'HostStatus', 'members'],
  ['Hold', `${CORE}/report.ts`, 'Hold', 'members'],
  ['Explanation', `${CORE}/hooks/explain-host.ts`, 'Explanation', 'members'],
] // prettier-ignore

const SUBJECTS: readonly Section[] = [
  ['definePlugin()', PLUGIN, 'definePlugin', 'text'],
  ['Session', `${CORE}/session.ts`, 'Session', 'members'],
  ['Discovery', PLUGIN, 'Discovery', 'members'],
  ['Admission', PLUGIN, 'Admission', 'members'],
  ['Exchange', EXCHANGE, 'Exchange', 'members'],
  ['HostView', EXCHANGE, 'HostView', 'members'],
  ['Blocking', `${CORE}/blocking.ts`, 'Blocking', 'members'],
  ['OutgoingRequest', PLUGIN, 'OutgoingRequest', 'members'],
  ['Answered', EXCHANGE, 'Answered', 'members', VOTED],
  ['Failed', EXCHANGE, 'Failed', 'members', VOTED],
  ['Failure', `${CORE}/failure.ts`, 'Failure', 'members'],
  ['RequiredDocument', `${CORE}/required-document.ts`, 'RequiredDocument', 'members'],
  ['HandlerFailed', PLUGIN, 'HandlerFailed', 'members', VOTED],
  ['ItemSource', PLUGIN, 'ItemSource', 'members'],
  ['Settled', PLUGIN, 'Settled', 'members'],
  ['Retired', PLUGIN, 'Retired', 'members'],
  ['Problem', 'packages/core/src/problem.ts', 'Problem', 'members'],
] // prettier-ignore

const WEBS: readonly Section[] = [
  ['The file', `${MODEL}/host-spec.ts`, 'ModelSpec', 'members'],
  ['hosts', `${MODEL}/host-spec.ts`, 'HostSpec', 'members'],
  ['pages', `${MODEL}/host-spec.ts`, 'PagesSpec', 'cases'],
  ['extras', `${MODEL}/host-spec.ts`, 'Extras', 'members'],
  ['prices', `${MODEL}/host-spec.ts`, 'PriceChanges', 'members'],
  ['latency', `${MODEL}/host-spec.ts`, 'LatencyLaw', 'cases'],
  ['capacity', `${MODEL}/capacity-law.ts`, 'CapacityLaw', 'cases'],
  ['changes and wave', `${MODEL}/capacity-law.ts`, 'Variation', 'members'],
  ['Change', `${MODEL}/capacity-law.ts`, 'Change', 'members'],
  ['Wave', `${MODEL}/capacity-law.ts`, 'Wave', 'members'],
  ['refusal', `${MODEL}/host-spec.ts`, 'RefusalStyle', 'members'],
  ['ban', `${MODEL}/capacity-law.ts`, 'Ban', 'members'],
  ['rateLimitFields', `${MODEL}/rate-limit-fields.ts`, 'RateLimitFields', 'text'],
  ['death and style', `${MODEL}/host-spec.ts`, 'DeathStyle', 'text'],
  ['outages', `${MODEL}/host-spec.ts`, 'Outage', 'members'],
  ['flapping', `${MODEL}/host-spec.ts`, 'Flapping', 'members'],
  ['missing', `${MODEL}/host-spec.ts`, 'MissingPages', 'members'],
  ['moves', `${MODEL}/host-spec.ts`, 'Move', 'members'],
  ['closures', `${MODEL}/host-spec.ts`, 'Closure', 'members'],
  ['clientOutages', `${MODEL}/host-spec.ts`, 'ClientOutage', 'members'],
] // prettier-ignore

/** The pages: path from the root of the repository, and text. */
export function typePages(): Readonly<Record<string, string>> {
  return {
    'docs/reference/spiders.md': page(
      'Spiders',
      'Seeds, scope, handlers and links: what you write to extract data from pages. All of it is imported from `@avocet/core`. A handler gets a [page](pages.md), and yields items and links.',
      SPIDERS,
    ),
    'docs/reference/pages.md': page(
      'Pages, requests and responses',
      'What a handler gets: `page`, with `page.request` and `page.response`. The types are imported from `@avocet/core`. To try a handler on a page without a crawl, use `readPage` or `recordedPage` of `@avocet/simulator`.',
      PAGES,
    ),
    'docs/reference/crawls.md': page(
      'Crawls, items and reports',
      'Run a crawl from a program, read its items, and read its report. `avocet crawl` does the same on the command line. For the options of `crawl()`, see [options](options.md).',
      CRAWLS,
    ),
    'docs/reference/subjects.md': page(
      'Subjects of hooks',
      'What the hooks of a plugin get as their first argument, and what they can do with it. For when each hook is called, see [hooks](hooks.md). `request` and `response` are those of [pages](pages.md). Inside `definePlugin` the compiler knows these types; most can be imported from `@avocet/core/plugin`.',
      SUBJECTS,
    ),
    'docs/reference/webs.md': page(
      'Webs in JSON',
      'A model of the web that `avocet simulate --web FILE.json` crawls on virtual time: hosts, their pages, latency, limits and faults. `siteModel()` of `@avocet/simulator` takes the same as an object, and `modelFrom()` reads it from parsed JSON. Names end in their unit: `…Ms`, `…Seconds`, `…Ratio` (a share from 0 to 1).',
      WEBS,
    ),
  }
}

function page(title: string, intro: string, sections: readonly Section[]): string {
  return `# ${title}\n\n${intro}\n${sections.map(section).join('')}`
}

function section([title, path, name, shows, ...parents]: Section): string {
  const doc = docOf(path, name)
  const members = [...readAs(path, name, shows), ...parents.flatMap(([file, parent]) => membersOf(file, parent))]
  const rows = members.map(shows === 'cases' ? caseRow : row)
  const head = shows === 'cases' ? ['kind', 'fields', 'meaning'] : ['member', 'type', 'meaning']
  const tables = rows.length > 0 ? [table(head, rows).trimEnd()] : []
  return [`\n## ${title}`, doc.text, ...tables, ...members.flatMap(afterword), ...afterword(doc)].join('\n\n') + '\n'
}

function readAs(path: string, name: string, shows: Section[3]): readonly Member[] {
  if (shows === 'text') return []
  return shows === 'members' ? membersOf(path, name) : casesOf(path, name)
}

function caseRow({ name, type, text }: Member): readonly string[] {
  return [`\`${name}\``, type === '' ? 'none' : `\`${type.replace('Variation', 'changes?: Change[]; wave?: Wave')}\``, text]
}

function row({ name, parameters, optional, type, text, throws }: Member): readonly string[] {
  const called = parameters === undefined ? '' : `(${parameters})`
  return [
    `\`${name}${optional ? '?' : ''}${called}\``,
    `\`${type === 'Name' ? 'string' : type}\``,
    text + (throws === undefined ? '' : ` Throws ${throws}`),
  ]
}

/** What fits into no table: of a member, its examples; of a whole type or function, also what it throws. */
function afterword({ throws, examples }: DocComment): readonly string[] {
  return [...(throws === undefined ? [] : [`Throws ${throws.replace(/\bAVO_\w+/g, '`$&`')}`]), ...examples.map(spaced)]
}

/** What introduces a block has an empty line after it. */
function spaced(example: string): string {
  return example.replace(/([^\n])\n```(?=\w)/, '$1\n\n```')
}
