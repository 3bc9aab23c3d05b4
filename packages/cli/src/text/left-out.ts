// Which plugins may do something outside the crawl: a run that only tries a spider out leaves them out, and one that runs handlers again says that they run.
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

/** For a run over what was crawled before, such as `--again`; nothing where no plugin may. */
export function repeatedEffects(treatment: Treatment): string {
  const names = withoutOutsideEffects(treatment).leftOut.map(({ name }) => printable(name))
  return names.length === 0 ? '' : `; plugins run too, and may repeat what they do outside the crawl: ${names.join(', ')}`
}
