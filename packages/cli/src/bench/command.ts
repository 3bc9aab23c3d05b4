// `avocet bench`, as the command line knows it.
import { AvocetError } from '@avocet/core'
import type { DeclaredCommand } from '../options/declared-command.ts'
import { JSON_FLAG, valueFlag } from '../options/flags.ts'
import { parseWholeNumber, textOf } from '../options/values.ts'
import type { BenchWish } from './bench.ts'

const DEFAULT_SECONDS = 20
/** Longer says nothing more, and fast hosts would run out of pages. */
const MOST_SECONDS = 300

/** `avocet bench`. */
export const BENCH: DeclaredCommand<BenchWish> = {
  name: 'bench',
  arguments: '',
  examples: ['avocet bench', 'avocet bench --seconds 60 --json'],
  flags: { seconds: valueFlag('N', `Crawl for N seconds, at most ${MOST_SECONDS} [default: ${DEFAULT_SECONDS}]`), ...JSON_FLAG },
  notes: [
    'Serves 340 hosts at 127.42.x.y from a process of its own (Linux has these',
    'addresses, macOS does not): most are fast, the others slow, refusing with 429,',
    'hanging, dripping or resetting. Crawls them with polite() into a store in the',
    'folder for temporary files, and removes it.',
  ],
  read(typed) {
    const seconds = parseWholeNumber(textOf(typed, 'seconds') ?? String(DEFAULT_SECONDS), 'bench --seconds', 1)
    if (seconds > MOST_SECONDS)
      throw new AvocetError('AVO_USAGE', `bench --seconds: expected at most ${MOST_SECONDS}, got ${seconds}`)
    return { seconds, json: typed['json'] === true }
  },
  run: async (wish, place) => (await import('./bench.ts')).benchCommand(wish, place),
}
