// The sinks of a run: what the delivery to them needs of its parts. Crawls without sinks that visit each page once load none of it.
import { chanceOf, type Run } from '../run/run.ts'
import type { Deliveries } from '../ports/ports.ts'
import { COST } from '../process/loop-budget.ts'

/** Made with the run: they hear of what is committed. */
export function runSinks(run: Pick<Run, 'settings' | 'calls' | 'tally' | 'fail' | 'revisits'>): Deliveries {
  const { settings, calls, tally, fail, revisits } = run
  const { sinks, frontier, clock, loop, codec, randomSeed, deliver, keep } = settings
  const wish = {
    ...{ sinks, frontier, clock, fail, keep },
    make: <Answer>(name: string, call: () => Promise<Answer>) => calls.make(name, call),
    hold: (name: string) => calls.hold(name),
    room: (rows: number) => loop.room(COST.row * rows),
    chance: (salt: string) => chanceOf(`${randomSeed}\nsink\n${salt}`),
    hidden: codec.text,
    problem: tally.problem,
    notice: tally.inform,
  }
  const loaded = async (): Promise<Deliveries> => {
    using _hold = calls.hold('sinks')
    return await deliver({ ...wish, isRevisiting: revisits.isRevisiting })
  }
  let made: Deliveries | undefined
  return {
    get status() {
      return sinks.length === 0 ? undefined : (made?.status ?? [])
    },
    async open() {
      if (sinks.length === 0 && !revisits.isRevisiting) return
      made = await loaded()
      await made.open()
    },
    committed: (items, beside) => made?.committed(items, beside),
    finish: async (end) => made?.finish(end),
    letGo: () => made?.letGo(),
  }
}
