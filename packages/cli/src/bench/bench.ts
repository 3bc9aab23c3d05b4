// `avocet bench`: what this machine makes of a hostile web.
import { writeDocument } from '../output/machines.ts'
import { print, say } from '../output/people.ts'
import type { EndSignal, ExitCode } from '../exit-code.ts'
import type { Place } from '../place.ts'
import { fold } from '../text/columns.ts'
import { formatCountOf } from '../text/quantity.ts'
import { screenColumns } from '../view/screen-columns.ts'
import { figureLines } from './figure-lines.ts'
import { runBench } from './run-bench.ts'

/** What was typed. */
export interface BenchWish {
  readonly seconds: number
  readonly json: boolean
}

const OF_SIGNAL = { SIGINT: 130, SIGTERM: 143 } as const satisfies Record<EndSignal, ExitCode>

/** Prints the figures; with `json` one document. */
export async function benchCommand({ seconds, json }: BenchWish, { stdout, stderr, clock }: Place): Promise<ExitCode> {
  const { figures, signal } = await runBench(seconds, clock, ({ hosts }) => {
    say(stderr, `crawling ${formatCountOf(hosts.length, 'host')} on this machine for ${formatCountOf(seconds, 'second')}`)
  })
  const columns = screenColumns(stdout)
  const lines = figureLines(figures).flatMap((line) => fold(line, columns))
  await (json ? writeDocument(stdout, figures) : print(stdout, lines))
  return signal === undefined ? 0 : OF_SIGNAL[signal]
}
