// The sinks of a run: what they need of its parts.
import { chanceOf } from '../exchange/chance.ts'
import type { Run } from '../run/run.ts'
import { Sinks } from '../sinks/sinks.ts'
import { ControlBook } from '../controls/control-book.ts'
import { Recrawl } from '../recrawl/recrawl.ts'
import { PageLimit } from '../run/page-limit.ts'
import { Rendering } from '../run/rendering.ts'
import type { Settings } from '../run/settings.ts'
import { TenureWatch } from '../store/tenure-watch.ts'

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

/** Makes them. */
export function runParts(
  settings: Settings,
): Pick<Run, 'settings' | 'recrawl' | 'rendering' | 'pageLimit' | 'tenure' | 'controls'> {
  const { frontier, clock, recrawl, browser, documents } = settings
  return {
    settings,
    recrawl: new Recrawl(recrawl),
    rendering: new Rendering(browser, documents),
    pageLimit: new PageLimit(settings),
    controls: new ControlBook(),
    tenure: new TenureWatch({ frontier, clock }),
  }
}
