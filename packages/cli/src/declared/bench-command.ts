// `avocet bench`, as the command line knows it.
import { AvocetError } from '@avocet/core'
import type { BenchWish } from '../bench/bench.ts'
import { textOf } from '../options/text-of.ts'
import { parseWholeNumber } from '../options/whole-number.ts'
import type { DeclaredCommand } from './declared-command.ts'

const DEFAULT_SECONDS = 20
/** Longer says nothing more, and fast hosts would run out of pages. */
const MOST_SECONDS = 300

/** `avocet bench`. */
export const BENCH: DeclaredCommand<BenchWish> = {
  name: 'bench',
  arguments: '',
  summary: 'what this machine makes of a hostile web',
  examples: ['avocet bench', 'avocet bench --seconds 60 --json'],
  flags: {
    seconds: { type: 'string', requiresArg: true, describe: `how long, at most ${MOST_SECONDS} (${DEFAULT_SECONDS})` },
    json: { type: 'boolean', describe: 'print one JSON document' },
  },
  describe: (parser) =>
    parser.epilogue(
      [
        'Serves 340 hosts at 127.42.x.y from a process of its own (Linux has these addresses; macOS does',
        'not): most are fast, the others slow, refusing with 429, hanging, dripping or resetting. Crawls',
        'them with polite() into a store in the folder for temporary files, and removes it.',
      ].join('\n'),
    ),
  read(typed) {
    const seconds = parseWholeNumber(textOf(typed, 'seconds') ?? String(DEFAULT_SECONDS), 'bench --seconds', 1)
    if (seconds > MOST_SECONDS)
      throw new AvocetError('AVO_USAGE', `bench --seconds: expected at most ${MOST_SECONDS}, got ${seconds}`)
    return { seconds, json: typed['json'] === true }
  },
  run: async (wish, place) => (await import('../bench/bench.ts')).benchCommand(wish, place),
}
