// Has a run say that it lives, from the opening of its store to its very end.
//
// Plugins may take minutes to open, other runs hours to finish, and sinks as long as a stop waits to write what they lack. A process that said nothing
// meanwhile would be taken for dead, and lose the sinks that it runs. While it crawls, a beat also says which hosts it holds; before and after, it holds none,
// and looks for nothing that others did.
import { Heartbeat } from '../store/heartbeat.ts'
import { isPassing } from '../store/store-calls.ts'
import type { Run } from '../run/run.ts'
import { renewed } from '../scheduler/renewed.ts'
import type { Window } from '../scheduler/window.ts'

/** Begins. `window`: that of the engine, while it crawls. */
export function beats(run: Run, window: () => Pick<Window, 'renew'> | undefined): Disposable {
  const { settings, tally } = run
  const problem = tally.outage
  let isBeating = false
  const beat = (): void => {
    if (isBeating) return
    isBeating = true
    void renewed([], run, problem)
      // A store that is away is waited for by the calls that need it.
      .catch((error: unknown) => isPassing(error) || run.fail(error))
      .finally(() => (isBeating = false))
  }
  return new Heartbeat(settings.frontier, settings.clock, {
    looks: () => window() !== undefined,
    renew: () => (window() ?? { renew: beat }).renew(problem),
    problem,
  })
}
