// `avocet scope`: the patterns of URLs that a crawl closed. `list` names them; `accept` opens some again, from the next run on.
import { acceptPatterns, SECRET_REFERENCE } from '@avocet/core'
import { relative } from 'node:path'
import { existingStore } from '../load/store-path.ts'
import { writeDocument } from '../output/machines.ts'
import { print } from '../output/people.ts'
import type { Place } from '../place.ts'
import { closedLine } from '../report/closed-lines.ts'
import { closedPatternsOf } from '../report/closed-patterns.ts'
import { printable } from '../text/printable.ts'
import { openedAsItIs } from './opened-as-it-is.ts'
import type { ScopeOptions } from './scope-options.ts'
import { withReader } from './with-reader.ts'

/** Exit code 0 also when nothing is closed. Throws AVO_FRONTIER_…, AVO_USAGE. */
export function scopeCommand(options: ScopeOptions, place: Place): Promise<void> {
  return options.action === 'list' ? list(options, place) : accept(options, place)
}

function list({ store, json }: ScopeOptions, { folder, stdout }: Place): Promise<void> {
  return withReader(folder, store, async (reader) => {
    const closed = await closedPatternsOf(reader)
    if (json) await writeDocument(stdout, { schema: 1, closed })
    else await print(stdout, closed.length === 0 ? ['nothing is closed'] : closed.map(closedLine))
  })
}

async function accept({ store, patterns: given, json }: ScopeOptions, { folder, stdout, stderr, clock }: Place): Promise<void> {
  // In messages this stands for the value of a secret parameter.
  const patterns = given.map((pattern) => pattern.replaceAll(SECRET_REFERENCE, '*'))
  const path = await existingStore(folder, store)
  const { frontier, info } = await openedAsItIs(path, clock.now())
  try {
    const closed = new Set((await closedPatternsOf(frontier.reader)).map(({ pattern }) => pattern))
    await acceptPatterns(frontier, info, patterns)
    const unknown = patterns.filter((pattern) => !closed.has(pattern))
    if (unknown.length > 0)
      await print(stderr, [
        `nothing is closed by ${unknown.map(printable).join(', ')}: accepted in advance (avocet scope list names what is closed)`,
      ])
    const { liveProcesses } = await frontier.reader.info()
    const isRunning = liveProcesses > 1
    const where = relative(folder, path)
    const when = isRunning ? 'once the crawl that runs now has ended and is run again' : 'when the crawl is run again'
    const text = `${patterns.map(printable).join(', ')}: open ${when} (store: ${where.startsWith('..') ? path : where})`
    if (json) await writeDocument(stdout, { schema: 1, accepted: patterns, running: isRunning })
    else await print(stdout, [text])
  } finally {
    await frontier.close()
  }
}
