// `avocet replay`: the handlers of today over the responses that a crawl kept, into new outputs. It is a crawl in one process, with a store in memory and kept
// responses in place of the web.
import { existsSync } from 'node:fs'
import { AvocetError } from '@avocet/core'
import { memoryFrontier } from 'avocet'
import type { ExitCode } from '@avocet/project/command'
import { plannedCrawl, repeatedEffects } from '@avocet/project/plan'
import { cachePathOf, nameFrom, storeFiles, type KeptResponses } from '@avocet/project/store'
import type { CrawlOptions } from '@avocet/project/options'
import type { Place } from '@avocet/project/place'
import { printable, formatCountOf } from '@avocet/project/text'
import { fileOf, outputPlaceOf } from '../crawl/crawl-places.ts'
import { sayEnd } from '../crawl/say-end.ts'
import { superviseCrawl, type Supervised } from '../crawl/supervise-crawl.ts'
import { RunOutputs } from '../export/run-outputs.ts'
import { overKept, withoutMissing, type KeptTally } from './kept-web.ts'

/** Runs it. Throws AVO_USAGE where nothing is kept, and what keeps a crawl from beginning. */
export async function replayCommand(options: CrawlOptions, place: Place): Promise<ExitCode> {
  const planned = await plannedCrawl(options, place)
  const { config } = planned
  const path = cachePathOf(fileOf(options, planned, place))
  const kept = await keptResponses(path, place)
  try {
    const outputs = await RunOutputs.open(options.outputs, outputPlaceOf(options, undefined, place))
    try {
      const frontier = memoryFrontier()
      const tally: KeptTally = { found: new Set(), damaged: 0 }
      const run = await superviseCrawl({
        config: { ...overKept(config, kept, tally), frontier },
        frontier,
        outputs,
        ...(options.logLevel && { logLevel: options.logLevel }),
        resumable: false,
        opening: `${formatCountOf(kept.count, 'response')} kept; no site is requested${repeatedEffects(config)}`,
        remarks: () => sinkRemarks(config.sinks ?? []),
        place,
      })
      const report = withoutMissing(run.report)
      const next = restLines(report, { tally, kept, file: nameFrom(place.folder, path) })
      return await sayEnd({ ...run, report }, { store: {}, options, next, place })
    } finally {
      await outputs.close()
    }
  } finally {
    kept.close()
  }
}

async function keptResponses(path: string, { folder }: Place): Promise<KeptResponses> {
  if (existsSync(path)) return (await storeFiles()).openResponses(path)
  throw new AvocetError(
    'AVO_USAGE',
    `replay: expected kept responses in ${nameFrom(folder, path)}, got none; crawl with --cache first`,
  )
}

function sinkRemarks(sinks: readonly { readonly name: string }[]): string[] {
  const names = sinks.map(({ name }) => printable(name)).join(', ')
  return sinks.length === 0 ? [] : [`sinks of the configuration (${names}) get nothing from a replay; -O FILE writes its items`]
}

interface Rest {
  readonly tally: KeptTally
  readonly kept: KeptResponses
  /** Of kept responses, as messages call it. */
  readonly file: string
}

/** What the replay did not run: what is not kept, and what is kept and was not asked for. */
function restLines(
  { ended, notKept }: Pick<Supervised['report'], 'ended'> & { readonly notKept: number },
  { tally: { found, missing, damaged }, kept, file }: Rest,
): string[] {
  const left = kept.count - found.size - damaged
  return [
    ...(damaged === 0
      ? []
      : [`${formatCountOf(damaged, 'kept response')} cannot be read; delete ${file} and crawl with --cache again`]),
    ...(notKept === 0
      ? []
      : [`${formatCountOf(notKept, 'URL')} not kept and not requested, such as ${printable(missing ?? '')}`]),
    ...(ended !== 'done' || left <= 0
      ? []
      : [`${formatCountOf(left, 'kept response')} not replayed: no link of today leads there`]),
  ]
}
