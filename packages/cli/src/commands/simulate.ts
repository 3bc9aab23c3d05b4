// `avocet simulate`: one's own spider and policies against a model of the web, on virtual time, and what its hosts felt.
import { writeDocument } from '../output/machines.ts'
import { print, say } from '../output/people.ts'
import type { Place } from '../place.ts'
import type { SimulateOptions } from '../simulate/options.ts'
import { planSimulation } from '../simulate/plan.ts'
import { speedLine, tellProgress } from '../simulate/progress.ts'
import { resultLines } from '../simulate/result-lines.ts'
import { runSimulation, type Watching } from '../simulate/run-simulation.ts'
import { worldLines, worldOf } from '../simulate/world.ts'
import { fold } from '../text/columns.ts'
import { screenColumns } from '../view/screen-columns.ts'

/** Runs the simulation and prints its result; with `list` the names of the webs. */
export async function simulateCommand(options: SimulateOptions, place: Place): Promise<void> {
  const { stdout, stderr, clock, folder } = place
  if (options.list) return print(stdout, worldLines())
  const model = await worldOf(options.web, folder)
  const config = await planSimulation(options, model, place)
  const startedAt = clock.monotonic()
  let progress: Disposable | undefined
  const watch = (look: () => Watching): void => {
    progress = tellProgress(place, look)
  }
  try {
    const result = await runSimulation({ name: options.web, model, config, hours: options.hours, seed: options.seed }, watch)
    say(stderr, speedLine(result.requests, clock.monotonic() - startedAt))
    if (options.json) return await writeDocument(stdout, result)
    const lines = resultLines(result).flatMap((line) => fold(line, screenColumns(stdout)))
    await print(stdout, lines)
  } finally {
    progress?.[Symbol.dispose]()
  }
}
