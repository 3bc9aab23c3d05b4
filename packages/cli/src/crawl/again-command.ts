// The command that runs the handlers over kept responses, for whoever mends them.
import { existsSync } from 'node:fs'
import type { CrawlReport } from '@avocet/core'
import type { Place } from '../place.ts'
import { storeFiles } from '../store-kinds/store-files.ts'
import { commandOf, type AskedCrawl } from './crawl-places.ts'

/** What a run with kept responses depends on. */
interface AgainWish {
  readonly report: CrawlReport
  readonly cachePath: string | undefined
  readonly place: Place
}

/** The command that runs the handlers over kept responses, with the outputs that were typed. Undefined where pages that a handler failed on are not kept. */
export async function againCommand(
  asked: AskedCrawl,
  { report: { handlerErrors }, cachePath, place }: AgainWish,
): Promise<string | undefined> {
  if (handlerErrors.length === 0 || cachePath === undefined || !existsSync(cachePath)) return undefined
  try {
    const kept = await (await storeFiles()).openResponses(cachePath)
    try {
      if (!handlerErrors.every(({ url }) => kept.find({ method: 'GET', url }) !== undefined)) return undefined
    } finally {
      kept.close()
    }
  } catch {
    // A cache that cannot be read keeps nothing.
    return undefined
  }
  const outputs = asked.options.outputs.flatMap(({ path, mode }) => [mode === 'append' ? '-o' : '-O', path])
  return commandOf(asked, place, ['--again', ...outputs])
}
