// `avocet why`: what becomes of a host or a URL, who holds it and until when, and what is known of it, from the store of a crawl.
import { parseUrl } from '@avocet/core'
import { writeDocument } from '../output/machines.ts'
import { print } from '../output/people.ts'
import { loadConfig } from '../load/config-file.ts'
import { checkSeedUrl } from '../load/seed-list.ts'
import type { Place } from '../place.ts'
import { fold } from '../text/columns.ts'
import { screenColumns } from '../view/screen-columns.ts'
import { answerOf, hostKeyFor } from '../why/answer.ts'
import { knownHost } from '../why/known-url.ts'
import { whyLines } from '../why/lines.ts'
import { withReader } from './with-reader.ts'

/** What was typed. */
export interface WhyOptions {
  /** A host as `avocet hosts` lists it, or a URL. */
  readonly target: string
  readonly store?: string
  readonly configPath?: string
  readonly json: boolean
}

/** Prints the answer; with `json` one document. Throws AVO_USAGE for what the store does not know, AVO_SEED_INVALID, AVO_CONFIG_INVALID, AVO_FRONTIER_…. */
export async function whyCommand({ target, store, configPath, json }: WhyOptions, place: Place): Promise<void> {
  const { folder, stdout, clock } = place
  const config = (await loadConfig(place, configPath))?.config ?? {}
  const url = target.includes('/') ? parseUrl(checkSeedUrl(target, 'why', config.secretParameters)) : undefined
  await withReader(folder, store, async (reader) => {
    const record = await knownHost(reader, url === undefined ? target.toLowerCase() : hostKeyFor(url, config))
    const answer = await answerOf({ reader, config, record, ...(url !== undefined && { url }), now: clock.now() })
    if (json) await writeDocument(stdout, { schema: 1, ...answer })
    else
      await print(
        stdout,
        whyLines(answer).flatMap((line) => folded(line, place)),
      )
  })
}

function folded(line: string, { stdout }: Place): readonly string[] {
  return fold(line, screenColumns(stdout))
}
