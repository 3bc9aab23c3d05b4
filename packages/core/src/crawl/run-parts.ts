// The parts of a run that are made of its settings alone.
import { ControlBook } from '../controls/control-book.ts'
import { Recrawl } from '../recrawl/recrawl.ts'
import { PageLimit } from '../run/page-limit.ts'
import { Rendering } from '../run/rendering.ts'
import type { Run } from '../run/run.ts'
import type { Settings } from '../run/settings.ts'
import { TenureWatch } from '../store/tenure-watch.ts'

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
