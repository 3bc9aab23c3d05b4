// The generated pages of docs/reference about types: what spiders are made of, pages, crawls, and webs in JSON. Texts and examples are doc comments.
import { casesOf, docOf, membersOf, type DocComment, type Member } from './declarations.ts'

/** What a section is about: a name that a file of the folder exports, and what it shows of it. */
type Section = readonly [
  title: string,
  folder: string,
  name: string,
  shows: 'members' | 'cases' | 'shape' | 'text',
  // Text: where the reference lists the members of a parent.
  ...parents: (readonly [folder: string, name: string] | string)[],
]

const CORE = 'packages/core/src'
const PAGE = 'packages/page/src'
const EXTRACT = 'packages/extract/src'
const MODEL = 'packages/simulator/src/site-model'
const VOTED = [CORE, 'Voted'] as const
const ANSWERED = '`retry` and `drop` of [Answered](#answered)'

const SPIDERS: readonly Section[] = [
  ['spider()', 'packages/avocet/src', 'spider', 'text'],
  ['Spider', CORE, 'Spider', 'members'],
  ['spiderWith()', 'packages/avocet/src', 'spiderWith', 'text'],
  ['Arguments', 'packages/avocet/src', 'ArgumentOptions', 'members'],
  ['Seed', CORE, 'Seed', 'members', '[LinkOptions](#linkoptions), except `anchorText`'],
  ['WatchedItems', CORE, 'WatchedItems', 'members'],
  ['Scope', CORE, 'Scope', 'members'],
  ['Handler', CORE, 'Handler', 'text'],
  ['link()', CORE, 'link', 'text'],
  ['LinkOptions', CORE, 'LinkOptions', 'members', [CORE, 'Wish']],
  ['Link', CORE, 'Link', 'members'],
] // prettier-ignore

const PAGES: readonly Section[] = [
  ['Page', CORE, 'Page', 'members', [PAGE, 'PageContent'], [PAGE, 'PageData']],
  ['Anchor', PAGE, 'Anchor', 'shape'],
  ['FollowOptions', PAGE, 'FollowOptions', 'members', '[LinkOptions](spiders.md#linkoptions)'],
  ['JsonLd', PAGE, 'JsonLd', 'members'],
  ['MicrodataItem', PAGE, 'MicrodataItem', 'shape'],
  ['OpenGraph', PAGE, 'OpenGraph', 'shape'],
  ['OpenGraphMedia', PAGE, 'OpenGraphMedia', 'shape'],
  ['PageMeta', PAGE, 'PageMeta', 'shape'],
  ['offerOf()', EXTRACT, 'offerOf', 'text'],
  ['PageOffer', EXTRACT, 'PageOffer', 'members', [EXTRACT, 'ProductFacts']],
  ['OfferVariant', EXTRACT, 'OfferVariant', 'shape'],
  ['OfferConflict', EXTRACT, 'OfferConflict', 'shape'],
  ['UnreadFact', EXTRACT, 'UnreadFact', 'shape'],
  ['OfferOptions', EXTRACT, 'OfferOptions', 'members', [EXTRACT, 'OfferReading']],
  ['parsePrice()', EXTRACT, 'parsePrice', 'text'],
  ['Price', EXTRACT, 'Price', 'members', [EXTRACT, 'Amount']],
  ['PriceHint', EXTRACT, 'PriceHint', 'shape'],
  ['Request', CORE, 'Request', 'members'],
  ['Earlier', CORE, 'Earlier', 'shape', [CORE, 'Validators']],
  ['Missing', CORE, 'Missing', 'shape'],
  ['Response', CORE, 'Response', 'members', [CORE, 'ResponseHead']],
  ['Timings', CORE, 'Timings', 'shape'],
] // prettier-ignore

const CRAWLS: readonly Section[] = [
  ['crawl()', 'packages/avocet/src', 'crawl', 'text'],
  ['Crawl', CORE, 'Crawl', 'members'],
  ['StopWait', CORE, 'StopWait', 'shape'],
  ['Control', CORE, 'Control', 'cases'],
  ['LimitsChange', CORE, 'OrderedLimits', 'shape'],
  ['AddedSeed', CORE, 'AddedSeed', 'shape'],
  ['GivenUpChange', CORE, 'GivenUpChange', 'shape'],
  ['itemsOf()', CORE, 'itemsOf', 'text'],
  ['atRest()', 'packages/at-rest/src', 'atRest', 'text'],
  ['CrawlReport', CORE, 'CrawlReport', 'members', [CORE, 'StoredReport']],
  ['Ending', CORE, 'Ending', 'text'],
  ['RunCounts', CORE, 'RunCounts', 'members'],
  ['Counts', CORE, 'Counts', 'members'],
  ['HandlerErrorGroup', CORE, 'HandlerErrorGroup', 'shape', [CORE, 'HandlerError']],
  ['RejectGroup', CORE, 'RejectGroup', 'shape'],
  ['DriedUp', CORE, 'DriedUp', 'shape'],
  ['SourceCount', CORE, 'SourceCount', 'shape'],
  ['RefusedByRule', CORE, 'RefusedByRule', 'shape'],
  ['RefusalRule', CORE, 'RefusalRule', 'text'],
  ['SinkStatus', CORE, 'SinkStatus', 'shape'],
  ['Probation', CORE, 'Probation', 'shape'],
  ['PageOnProbation', CORE, 'PageOnProbation', 'shape'],
  ['ClosedPattern', CORE, 'ClosedPattern', 'shape'],
  ['ClosedFor', CORE, 'ClosedFor', 'text'],
  ['CrawlStatus', CORE, 'CrawlStatus', 'shape'],
  ['DrainStatus', CORE, 'DrainStatus', 'shape'],
  ['PausedBy', CORE, 'PausedBy', 'text'],
  ['HostStatus', CORE, 'HostStatus', 'shape'],
  ['Hold', CORE, 'Hold', 'shape'],
  ['Explanation', CORE, 'Explanation', 'shape'],
] // prettier-ignore

const SUBJECTS: readonly Section[] = [
  ['definePlugin()', CORE, 'definePlugin', 'text'],
  ['Session', CORE, 'Session', 'members'],
  ['Discovery', CORE, 'Discovery', 'shape'],
  ['Admission', CORE, 'Admission', 'members'],
  ['Exchange', CORE, 'Exchange', 'members'],
  ['HostView', CORE, 'HostView', 'members'],
  ['Blocking', CORE, 'Blocking', 'shape'],
  ['OutgoingRequest', CORE, 'OutgoingRequest', 'members'],
  ['Answered', CORE, 'Answered', 'members', VOTED],
  ['Failed', CORE, 'Failed', 'members', ANSWERED],
  ['Failure', CORE, 'Failure', 'shape'],
  ['RequiredDocument', CORE, 'RequiredDocument', 'shape'],
  ['HandlerFailed', CORE, 'HandlerFailed', 'members', ANSWERED],
  ['ItemSource', CORE, 'ItemSource', 'shape'],
  ['Revisit', CORE, 'Revisit', 'members'],
  ['RevisitPlan', CORE, 'RevisitPlan', 'members'],
  ['Handled', CORE, 'Handled', 'members'],
  ['Unit', CORE, 'Unit', 'shape'],
  ['Settled', CORE, 'Settled', 'shape'],
] // prettier-ignore

const FETCHERS: readonly Section[] = [
  ['Fetcher', CORE, 'Fetcher', 'members'],
  ['Outbound', CORE, 'Outbound', 'shape'],
  ['FetchReceiver', CORE, 'FetchReceiver', 'shape'],
] // prettier-ignore

const WEBS: readonly Section[] = [
  ['The model', MODEL, 'ModelSpec', 'members'],
  ['hosts', MODEL, 'HostSpec', 'members'],
  ['pages', MODEL, 'PagesSpec', 'cases'],
  ['extras', MODEL, 'Extras', 'members'],
  ['prices', MODEL, 'PriceChanges', 'shape'],
  ['latency', MODEL, 'LatencyLaw', 'cases'],
  ['capacity', MODEL, 'CapacityLaw', 'cases'],
  ['changes and wave', MODEL, 'Variation', 'members'],
  ['Change', MODEL, 'Change', 'members'],
  ['Wave', MODEL, 'Wave', 'shape'],
  ['refusal', MODEL, 'RefusalStyle', 'members'],
  ['ban', MODEL, 'Ban', 'shape'],
  ['rateLimitFields', MODEL, 'RateLimitFields', 'text'],
  ['death and style', MODEL, 'DeathStyle', 'text'],
  ['outages', MODEL, 'Outage', 'shape'],
  ['flapping', MODEL, 'Flapping', 'shape'],
  ['missing', MODEL, 'MissingPages', 'shape'],
  ['moves', MODEL, 'Move', 'shape'],
  ['closures', MODEL, 'Closure', 'shape'],
  ['clientOutages', MODEL, 'ClientOutage', 'shape'],
] // prettier-ignore

/** The pages: path from the root of the repository, and text. */
export function typePages(): Readonly<Record<string, string>> {
  return {
    'docs/reference/spiders.md': page(
      'Spiders',
      'Seeds, scope, handlers and links: what you write to extract data from pages. All of it is imported from `avocet`. A handler gets a [page](pages.md), and yields items and links.',
      SPIDERS,
    ),
    'docs/reference/pages.md': page(
      'Pages, requests and responses',
      'What a handler gets: `page`, with `page.request` and `page.response`. The types are imported from `avocet`. A member that builds the DOM parses the whole document when it is first used, which costs several times the CPU of reading all links without it; then the DOM is there for the others. To try a handler on a page without a crawl, use `readPage` or `recordedPage` of `@avocet/simulator`.',
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
    'docs/reference/fetcher.md': page(
      'Fetchers',
      'What sends requests: the option `fetcher` of a crawl, such as a fake server in a test ([an example](../how-to/write-a-fetcher.md)). The types are imported from `@avocet/core/store`; `fetcherContract` of `@avocet/testkit/contracts` tests one. See [write a fetcher](../how-to/write-a-fetcher.md).',
      FETCHERS,
    ),
    'docs/reference/webs.md': page(
      'Models of the web',
      'A model of the web that a test crawls on virtual time: hosts, their pages, latency, limits and faults. `siteModel()` of `@avocet/simulator` takes it. Names end in their unit: `…Ms`, `…Seconds`, `…Ratio` (a share from 0 to 1).',
      WEBS,
    ),
  }
}

function page(title: string, intro: string, sections: readonly Section[]): string {
  return `# ${title}\n\n${intro}\n${sections.map(section).join('')}`
}

function section([title, path, name, shows, ...parents]: Section): string {
  const read = parents.filter((parent) => typeof parent !== 'string')
  const also = parents.filter((parent) => typeof parent === 'string').map((parent) => `Also: ${parent}.`)
  const doc = docOf(path, name)
  const members = [...readAs(path, name, shows), ...read.flatMap(([file, parent]) => membersOf(file, parent))]
  const listed =
    shows === 'shape' ? [shapeOf(name, members)] : [members.map(shows === 'cases' ? caseEntry : memberEntry).join('\n')]
  const docs = [doc, ...read.map(([file, parent]) => docOf(file, parent))]
  const parts = [
    doc.text,
    ...(members.length > 0 ? listed : []),
    ...also,
    ...members.flatMap(({ examples }) => examples.map(spaced)),
    ...docs.flatMap(afterword),
  ]
  return [`\n## ${title}`, ...parts].join('\n\n') + '\n'
}

function readAs(path: string, name: string, shows: Section[3]): readonly Member[] {
  if (shows === 'text') return []
  return shows === 'cases' ? casesOf(path, name) : membersOf(path, name)
}

function caseEntry({ name, type, text }: Member): string {
  const fields = type === '' ? '' : ` \`${type.replace('Variation', 'changes?: Change[]; wave?: Wave')}\``
  return `- **\`${name}\`**${fields}: ${text}`
}

/** A member with its meaning. A list, because a table of three columns is not legible on a phone. */
export function memberEntry({ text, throws, ...member }: Member): string {
  return `- **\`${signatureOf(member)}\`** ${text}${throws === undefined ? '' : ` Throws ${throws}`}`
}

/** The members alone, of a type whose names say what they mean. */
function shapeOf(type: string, members: readonly Member[]): string {
  return `\`\`\`typescript\ninterface ${type} {\n${members.map((member) => `  ${signatureOf(member)}\n`).join('')}}\n\`\`\``
}

/** Everything is read-only: to say so on each line helps nobody. */
const READONLY = /\breadonly |\bReadonly<((?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*)>/

function signatureOf({ name, parameters, optional, type }: Pick<Member, 'name' | 'parameters' | 'optional' | 'type'>): string {
  const called = parameters === undefined ? '' : `(${parameters})`
  const shown = (text: string): string => (READONLY.test(text) ? shown(text.replace(READONLY, '$1')) : text)
  const bare = optional ? type.replace(/ \| undefined$/, '') : type
  return shown(`${name}${optional ? '?' : ''}${called}: ${bare === 'Name' ? 'string' : bare}`)
}

/** What comes after the members: what a whole type or function throws, and its examples. */
function afterword({ throws, examples }: DocComment): readonly string[] {
  return [...(throws === undefined ? [] : [`Throws ${throws.replace(/\bAVO_\w+/g, '`$&`')}`]), ...examples.map(spaced)]
}

/** What introduces a block has an empty line after it. */
function spaced(example: string): string {
  return example.replace(/([^\n])\n```(?=\w)/, '$1\n\n```')
}
