// Which plugins a run that only tries a spider out leaves out, and what to write so that it does not.
import { withoutOutsideEffects, type Treatment } from '@avocet/core/tools'
import { printable } from './printable.ts'

/** One line, for those that say it themselves and for those that do not; none where nothing is left out. `what`: as in "left out of WHAT". */
export function leftOutLines(treatment: Treatment, what: string): string[] {
  const { leftOut } = withoutOutsideEffects(treatment)
  if (leftOut.length === 0) return []
  const names = leftOut.map(({ name, unvouched }) => `${printable(name)} (${unvouched.join(', ') || 'outsideEffects: true'})`)
  const silent = leftOut.filter(({ unvouched }) => unvouched.length > 0)
  const way = silent.length === 0 ? '' : '; if a plugin does nothing outside the crawl, write outsideEffects: false in it'
  return [`left out of ${what}: ${names.join(', ')}${way}`]
}
