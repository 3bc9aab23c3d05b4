// Where a crawl is shown: on the screen that people have, which is not where a log goes.
import type { Place } from '../place.ts'
import type { LiveView } from '../view/live-view.ts'

/** The place of a live view. */
export function viewPlace(place: Place): Place {
  const { log, stderr } = place
  return log === undefined ? place : { ...place, stderr: log.screen ?? stderr }
}

/** Whether nobody reads what is shown: standard error is a log. */
export function isUnseen({ log }: Place): boolean {
  return log !== undefined && log.screen === undefined
}

/** The view, or one that never begins. */
export function shownIn(place: Place, view: LiveView): Pick<LiveView, 'start'> {
  return isUnseen(place) ? { start: () => undefined } : view
}
