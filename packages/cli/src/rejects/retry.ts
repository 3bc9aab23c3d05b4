// `avocet rejects retry`: rejects of the schema are held against the schema of today; those of sinks are handed over again by the crawl.
//
// Also beside a crawl that goes on: what is valid becomes an item in a transaction that finds its reject, so no two processes make two items of it.
import { AvocetError, type CrawlConfig, type Spider } from '@avocet/core'
import { SCHEMA_SOURCE, type Frontier, type RejectDecision, type RejectRecord } from '@avocet/core/store'
import { namedSpider, loadConfig } from '@avocet/project/load'
import { configFor } from '@avocet/project/plan'
import { nameFrom, openedAsItIs } from '@avocet/project/store'
import { writeDocument, print, type Place, commandLine, commandName } from '@avocet/project/place'
import { formatCount, formatCountOf } from '@avocet/project/text'
import { wantedOf, type RejectsOptions } from './wanted.ts'
import { triedAgain } from './try-again.ts'

/** Tried in one go, and settled in one transaction. */
const BATCH = 1_000

/** What became of them. */
interface Retried {
  /** Rejects of the schema that were held against it again. */
  readonly checked: number
  /** Of them: items now, dropped by plugins, and still refused. */
  readonly items: number
  readonly dropped: number
  readonly refused: number
  /** Rejects of sinks that are handed over again. */
  readonly handedOver: number
}

/** Tries the rejects of the store at `path` again. Throws AVO_FRONTIER_…, AVO_SPIDER_…, AVO_CONFIG_…, AVO_USAGE where no spider is known. */
export async function retryRejects(options: RejectsOptions, path: string, place: Place): Promise<void> {
  const { folder, stdout, clock } = place
  const { frontier } = await openedAsItIs(path, clock.now())
  try {
    const wanted = wantedOf(options)
    const ofSchema = wanted.source === undefined || wanted.source === SCHEMA_SOURCE
    const checked = ofSchema ? await checkAgain(frontier, options, place) : NOTHING
    const handedOver = wanted.source === SCHEMA_SOURCE ? 0 : await frontier.rejects.retry(wanted)
    const retried: Retried = { ...checked, handedOver }
    if (options.json) await writeDocument(stdout, { schema: 1, ...retried })
    else await print(stdout, saying(retried, { options, store: nameFrom(folder, path) }))
  } finally {
    await frontier.close()
  }
}

const NOTHING: Omit<Retried, 'handedOver'> = { checked: 0, items: 0, dropped: 0, refused: 0 }

async function checkAgain(frontier: Frontier, options: RejectsOptions, place: Place): Promise<Omit<Retried, 'handedOver'>> {
  const counts = { ...NOTHING }
  let by: { readonly spider: Spider; readonly config: Partial<CrawlConfig> } | undefined
  for (let afterId = 0; ;) {
    const batch = await frontier.reader.rejects({ ...wantedOf(options), source: SCHEMA_SOURCE, afterId, limit: BATCH })
    if (batch.length === 0) return counts
    by ??= await madeBy(frontier, options, place)
    const decisions = await triedAgain(batch, by)
    counts.items += await frontier.rejects.settle(decisions)
    counts.checked += batch.length
    counts.dropped += countOf(decisions, 'dropped')
    counts.refused += countOf(decisions, 'refused')
    afterId = lastOf(batch)
  }
}

function countOf(decisions: readonly RejectDecision[], kind: RejectDecision['kind']): number {
  return decisions.filter((each) => each.kind === kind).length
}

function lastOf(batch: readonly RejectRecord[]): number {
  return batch.at(-1)?.id ?? Infinity
}

/** The spider that was typed, or that of the store by its name, and the configuration whose plugins see its items. */
async function madeBy(
  { reader }: Frontier,
  { spiderPath, crawl }: RejectsOptions,
  place: Place,
): Promise<{ readonly spider: Spider; readonly config: Partial<CrawlConfig> }> {
  const loaded = await loadConfig(place, crawl.configPath)
  const { name } = await reader.info()
  const config = loaded === undefined ? {} : configFor(loaded, { spider: { name } }).config
  if (spiderPath === undefined && config.spider?.name === name) return { spider: config.spider, config }
  const named = spiderPath ?? name
  const spider = await namedSpider({ spiderPath: named, crawl }, place).catch((error: unknown) => {
    throw spiderPath !== undefined || !(error instanceof AvocetError) || error.code !== 'AVO_SPIDER_LOAD' ? error : noSpider(name)
  })
  if (spider === undefined) throw noSpider(name)
  return { spider, config }
}

function noSpider(name: string): AvocetError {
  return new AvocetError(
    'AVO_USAGE',
    `rejects retry: expected the spider ${name}, whose schema refused items, found none; name its file: ${commandName()} rejects retry --spider spider.ts`,
  )
}

function saying(
  { checked, items, dropped, refused, handedOver }: Retried,
  { options, store }: { options: RejectsOptions; store: string },
): string[] {
  if (checked + handedOver === 0) {
    return [
      'nothing to retry; to see what was refused:',
      `  ${commandLine(['rejects', 'list', ...(options.store === undefined ? [] : [options.store])])}`,
    ]
  }
  const notes = [
    ...(dropped > 0 ? [`${formatCount(dropped)} dropped by plugins`] : []),
    ...(refused > 0 ? [`${formatCount(refused)} still refused`] : []),
  ]
  const left = notes.length === 0 ? '' : `, ${notes.join(', ')}`
  return [
    ...(checked === 0
      ? []
      : [
          `${formatCount(items)} of ${formatCountOf(checked, 'reject')} of the schema valid now, and in the store${left} (store: ${store})`,
        ]),
    ...(items === 0
      ? []
      : ['outputs get them with the next run; to write them now:', `  ${commandLine(['export', store, '-O', 'items.jsonl'])}`]),
    ...(handedOver === 0
      ? []
      : [`${formatCountOf(handedOver, 'item')} to be handed to their sinks again, by the next run or the one that goes on`]),
  ]
}
