// The sinks of a run: what they need of its parts.
import { chanceOf } from '../exchange/chance.ts'
import type { Run } from '../run/run.ts'
import { Sinks } from '../sinks/sinks.ts'

/** Made with the run: they hear of what is committed. */
export function runSinks({ settings, calls, tally, fail }: Pick<Run, 'settings' | 'calls' | 'tally' | 'fail'>): Sinks {
  const { sinks, frontier, clock, loop, secrets, randomSeed } = settings
  return new Sinks({
    ...{ sinks, frontier, clock, loop, fail },
    make: (name, call) => calls.make(name, call),
    hold: (name) => calls.hold(name),
    chance: (salt) => chanceOf(`${randomSeed}\nsink\n${salt}`),
    hidden: secrets.inText,
    problem: tally.problem,
    notice: tally.inform,
  })
}
