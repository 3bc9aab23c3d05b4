// Has a run say that it lives, from the opening of its store to its very end.
//
// Plugins may take minutes to open, other runs hours to finish, and sinks as long as a stop waits to write what they lack. A process that said nothing
// meanwhile would be taken for dead, and lose the sinks that it runs. While it crawls, a beat also says which hosts it holds; before and after, it holds none,
// and looks for nothing that others did.
import { Heartbeat } from '../store/heartbeat.ts'
import { isPassing } from '../store/store-calls.ts'
import type { Run } from '../run/run.ts'
import { renewed } from '../scheduler/renewed.ts'
import type { Window, WindowRules } from '../scheduler/window.ts'

/** What beats once the engine is made. */
interface Beating {
  readonly window: Pick<Window, 'renew'>
  readonly hears: WindowRules['hears']
  readonly orders: { hear(): Promise<void> }
}

/** Begins. `engine`: while it crawls. */
export function beats(run: Run, engine: () => Beating | undefined): Disposable {
  const { settings, tally } = run
  const { frontier } = settings
  const problem = tally.outage
  let isHearing = false
  let isBeating = false
  const beat = (): void => {
    if (isBeating) return
    isBeating = true
    void renewed([], run, problem)
      // A store that is away is waited for by the calls that need it.
      .catch((error: unknown) => isPassing(error) || run.fail(error))
      .finally(() => (isBeating = false))
  }
  const heartbeat = new Heartbeat(settings.frontier, settings.clock, {
    looks: () => engine() !== undefined,
    renew: () => (engine()?.window ?? { renew: beat }).renew(problem),
    hear() {
      if (isHearing || frontier.sharing === undefined) return
      isHearing = true
      void frontier.sharing
        .news()
        .then((memories) => engine()?.hears(memories))
        .then(() => engine()?.orders.hear())
        .catch((error: unknown) => (isPassing(error) ? heartbeat.hearAgain() : run.fail(error)))
        .finally(() => (isHearing = false))
    },
    problem,
  })
  return heartbeat
}
