// The generated pages of docs/reference, made from the code: options, errors, exit codes, types; and docs/llms.txt. `npm run reference` writes them; a test holds them current.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FAILURES } from '@avocet/core/plugin'
import { OF_FATAL } from '../packages/cli/src/exit-code.ts'
import { FATALS } from '../packages/core/src/values/errors.ts'
import { EXIT_CODES } from '../packages/project/src/options/declared-command.ts'
import { membersOf } from './declarations.ts'
import { llmsText } from './docs-index.ts'
import { table } from './markdown-table.ts'
import { memberEntry, typePages } from './types-reference.ts'
import { DEAD_LETTERS } from '../packages/project/src/store/dead-letter-class.ts'

const FOOT = '\n<!-- Generated from the code by `npm run reference`. -->\n'

/** Sections of the page of options: title, a sentence, file, interface. */
const OPTIONS: readonly (readonly [string, string, string, string])[] = [
  ['A crawl', '`defineCrawl({ … })` in `avocet.config.ts`, or `crawl({ … })` in a program.', 'packages/core/src/ports/config.ts', 'CrawlConfig'],
  ['The command', 'What the `avocet` command alone does, in `avocet.config.ts`. A program has it from the packages that are named.', 'packages/avocet/src/command-config.ts', 'CommandOptions'],
  ['Single hosts', 'Under `hosts:` by pattern: `shop.example`, `*.shop.example` or `*`.', 'packages/core/src/ports/host-options.ts', 'HostOptions'],
  ['Shared limits', 'Under `limits:`, a list. See [limits that hosts share](../how-to/per-host-limits.md#limits-that-hosts-share).', 'packages/core/src/ports/host-options.ts', 'SharedLimit'],
  ['Visiting again', 'A rule in the list `recrawl:`; the first that matches a page counts. `--every 1h` is one rule for all pages.', 'packages/core/src/ports/config.ts', 'RecrawlRule'],
  ['Visiting where it pays', '`adaptive({ … })` of `@avocet/plugin-freshness`, under `plugins:`. See [visit pages where it pays](../how-to/visit-pages-again.md#visit-pages-where-it-pays).', 'packages/plugin-freshness/src/freshness.ts', 'AdaptiveOptions'],
  ['What the store keeps', 'Under `keep:`. See [run a crawl for weeks](../how-to/run-for-weeks.md#what-the-store-keeps).', 'packages/core/src/ports/config.ts', 'KeepOptions'],
  ['Limits on time', 'Under `timeLimits:`. No plugin can loosen them.', 'packages/core/src/ports/fetcher.ts', 'TimeLimits'],
  ['Limits on size', 'Under `sizeLimits:`.', 'packages/core/src/ports/fetcher.ts', 'SizeLimits'],
  ['Limits on discovery', 'Under `discoveryLimits:`. `Infinity` switches a limit off. See [endless sites](../how-to/endless-sites.md).', 'packages/core/src/ports/discovery-limits.ts', 'DiscoveryLimits'],
  ['Endless sites', '`traps({ … })` of `@avocet/plugin-traps`, under `plugins:`.', 'packages/plugin-traps/src/traps.ts', 'TrapOptions'],
  ['Signed requests', '`signature({ … })` of `@avocet/plugin-signature`, under `plugins:`. See [sign requests](../how-to/identify-your-crawler.md#sign-requests).', 'packages/plugin-signature/src/signature.ts', 'SignatureOptions'],
  ['Alerts', '`alerts({ … })` of `@avocet/plugin-alerts`, under `plugins:`. See [alerts](../how-to/alerts.md).', 'packages/plugin-alerts/src/options.ts', 'AlertOptions'],
  ['Rules of alerts', 'Under `rules:`.', 'packages/plugin-alerts/src/options.ts', 'AlertRules'],
  ['Sitemaps and feeds', 'Under `sitemaps:`, or `sitemaps({ … })` of `@avocet/plugin-sitemaps`. See [follow sitemaps and feeds](../how-to/follow-sitemaps.md).', 'packages/plugin-sitemaps/src/options.ts', 'SitemapsOptions'],
  ['Files', 'Under `files:`, or `files({ … })` of `@avocet/plugin-files`. See [download files](../how-to/download-files.md).', 'packages/plugin-files/src/options.ts', 'FilesOptions'],
  ['A file', 'Of `file(page, src, { … })`.', 'packages/plugin-files/src/options.ts', 'DownloadOptions'],
  ['Browser', '`browser({ … })` of `@avocet/fetcher-browser`, under `browser:`. See [render pages with a browser](../how-to/render-with-a-browser.md).', 'packages/fetcher-browser/src/options.ts', 'BrowserOptions'],
  ['Rules of the browser', 'Under `rules:`, a list.', 'packages/fetcher-browser/src/options.ts', 'RenderRule'],
  ['Batches of a sink', 'Under `limits:` of a sink. See [write your own sink](../how-to/write-your-own-sink.md).', 'packages/core/src/ports/sink.ts', 'SinkLimits'],
  ['The policies', '`polite({ … })`. Each policy takes the options below; all but the rate can be left out with `false`.', 'packages/preset-polite/src/polite.ts', 'PoliteOptions'],
  ['Rate', '`aimd({ … })`, or `rate:` of `polite`.', 'packages/plugin-aimd/src/settings.ts', 'AimdOptions'],
  ['Breaker', '`breaker({ … })`.', 'packages/plugin-breaker/src/breaker.ts', 'BreakerOptions'],
  ['Timeouts', '`adaptiveTimeout({ … })`, or `timeouts:` of `polite`.', 'packages/plugin-adaptive-timeout/src/adaptive-timeout.ts', 'AdaptiveTimeoutOptions'],
  ['Retries', '`retry({ … })`.', 'packages/plugin-retry/src/retry.ts', 'RetryOptions'],
  ['Kept responses', '`responseCache(path, { … })` of `@avocet/plugin-sqlite`, or `cache:` of a crawl.', 'packages/plugin-sqlite/src/cache/response-cache.ts', 'ResponseCacheOptions'],
  ['robots.txt', '`robots({ … })`.', 'packages/plugin-robots/src/options.ts', 'RobotsOptions'],
] // prettier-ignore

/** Options of `avocet crawl` that have another name in the configuration. */
const OTHER_NAMES = [
  ['`--every 1h`', '`recrawl: [{ everyMs: 3_600_000 }]`'],
  ['`--ignore-robots`', "`hosts: { '*': { ignoreRobots: true } }`"],
  ['`--max-depth 3`', '`scope: { maxDepth: 3 }` of the spider'],
  ['`--max-rps 2`', "`hosts: { '*': { maxRps: 2 } }`; the option also lowers what `hosts` says about single hosts"],
  ['`--rate fixed`', "`policies: polite({ rate: 'fixed' })`"],
  ['`--scope domain`', "`scope: { within: 'seed-domains' }` of the spider"],
  ['`--seeds FILE`', '`seeds` of the spider'],
  ['`--store FILE`', "`store: 'FILE'`; in code, `frontier: sqlite('FILE')`"],
  ['`--store postgres://…`', "`store: 'postgres://…'`; in code, `frontier: postgresFrontier('postgres://…')`"],
] as const

/** The generated pages: path from the root of the repository, and text. */
export function referencePages(): Readonly<Record<string, string>> {
  const types = Object.entries(typePages()).map(([path, text]) => [path, `${text}${FOOT}`] as const)
  return {
    ...Object.fromEntries(types),
    'docs/llms.txt': llmsText(),
    'docs/reference/options.md': `# Options\n\nNames end in their unit: \`…Ms\`, \`…Bytes\`, \`…Ratio\`, \`…Rps\` (requests per second). For the options of a spider, see [spiders](spiders.md).\n${OPTIONS.map(section).join('')}${otherNames()}${FOOT}`,
    'docs/reference/errors.md': `# Errors\n\nA code names one cause and is never reused. Messages say what was expected, what came, and what to do.\n${fatals()}${failures()}${deadLetters()}${FOOT}`,
    'docs/reference/exit-codes.md': `# Exit codes\n\n${table(
      ['code', 'meaning'],
      Object.entries(EXIT_CODES).map(([code, meaning]) => [code, meaning]),
    )}${FOOT}`,
  }
}

function section([title, sentence, path, name]: readonly [string, string, string, string]): string {
  const options = membersOf(path, name).map((member) => memberEntry({ ...member, optional: false }))
  return `\n## ${title}\n\n${sentence}\n\n${options.join('\n')}\n`
}

function otherNames(): string {
  const sentence =
    'Most options have the name of their setting: `--max-pages` is `maxPages`, and `--patience 5m` is `patienceMs: 300_000`. These have another one.'
  return `\n## Options of avocet crawl\n\n${sentence}\n\n${table(['option', 'setting'], OTHER_NAMES)}`
}

function fatals(): string {
  const rows = Object.entries(FATALS).map(
    ([code, cause]) => `- **\`${code}\`** (${OF_FATAL[code as keyof typeof FATALS]}) ${cause}\n`,
  )
  return `\n## Of a whole crawl\n\nThey end it, or keep it from starting. In parentheses: the exit code of the command.\n\n${rows.join('')}`
}

function failures(): string {
  const rows = Object.entries(FAILURES).map(([code, { blame, summary }]) => `- **\`${code}\`** (${blame}) ${summary}\n`)
  return `\n## Of one exchange\n\nThey are data, and end nothing. In parentheses, who is at fault: the \`host\`, this \`url\` alone, the \`local\` machine, the \`proxy\`, or the \`user\`'s code.\n\n${rows.join('')}`
}

function deadLetters(): string {
  const rows = Object.entries(DEAD_LETTERS).map(([name, meaning]) => [`\`${name}\``, meaning])
  return `\n## Pages that were given up\n\nWhat \`avocet failed list\` shows, by class.\n\n${table(['class', 'meaning'], rows)}`
}

if (import.meta.main)
  for (const [path, text] of Object.entries(referencePages())) writeFileSync(join(import.meta.dirname, '..', path), text)
