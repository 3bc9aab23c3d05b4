// Pages that were given up, by class with the reasons of each and a few samples: what `avocet dlq list` says, for a page.
import type { FailuresPicture } from '@avocet/dashboard'
import type { FrontierReader, RequestRecord } from '@avocet/core/store'
import { DEAD_LETTERS, deadLetterClassOf, type DeadLetterClass } from '@avocet/project/store'
import { CLASSES, countsByClass, HEALING, retiredHosts } from '../store/dead-letters.ts'
import { handlerErrorText } from '../text/store-words.ts'
import { pageLine } from './host-pictures.ts'

const MAX_SAMPLES = 20
/** Reasons of a class that samples are taken from. */
const SAMPLED_REASONS = 10

/** All of them. Paths of files are told from `folder`. */
export async function givenUpPages(reader: FrontierReader, folder: string): Promise<FailuresPicture> {
  const counts = await countsByClass(reader)
  const reasons = await reader.failures()
  const classes: FailuresPicture['classes'][number][] = []
  for (const name of CLASSES) {
    const count = counts.get(name)
    if (count === undefined) continue
    const own = reasons.filter(({ reason }) => deadLetterClassOf(reason) === name)
    classes.push({
      ...{ name, means: DEAD_LETTERS[name], count, heals: HEALING.includes(name), isDropped: name === 'dropped' },
      reasons: own.slice(0, MAX_SAMPLES).map(({ reason, count: times }) => ({ name: reason, count: times })),
      samples: (
        await samplesOf(
          reader,
          name,
          own.map(({ reason }) => reason),
        )
      ).map(pageLine),
    })
  }
  const handlerErrors = (await reader.handlerErrors()).slice(0, MAX_SAMPLES)
  return {
    classes,
    handlerErrors: handlerErrors.map((group) => ({
      message: handlerErrorText(group, folder),
      count: group.count,
      url: group.url,
    })),
  }
}

/** A few of each reason; of hosts that were given up what waits there. */
async function samplesOf(
  reader: FrontierReader,
  name: DeadLetterClass,
  reasons: readonly string[],
): Promise<readonly RequestRecord[]> {
  const sampled = reasons.slice(0, SAMPLED_REASONS)
  const each = Math.max(1, Math.floor(MAX_SAMPLES / Math.max(1, sampled.length)))
  const found: RequestRecord[] = []
  for (const reason of sampled) {
    found.push(...(await reader.requests({ state: 'failed', reason, limit: each })))
  }
  if (name !== 'host-dead') return found
  for await (const { hostKey } of retiredHosts(reader)) {
    if (found.length >= MAX_SAMPLES) break
    found.push(...(await reader.requests({ state: 'waiting', hostKey, limit: 2 })))
  }
  return found
}
