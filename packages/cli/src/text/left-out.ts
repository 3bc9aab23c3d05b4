// Which plugins may do something outside the crawl: a run that only tries a spider out leaves them out, and one that runs handlers again says that they run.
import { withoutOutsideEffects, type Treatment } from '@avocet/core/tools'
import { printable } from './printable.ts'

/** What may have effects outside the crawl. */
interface Effects extends Treatment {
  readonly sinks?: readonly { readonly name: string }[]
}

/** A line of plugins, that say it themselves or do not, and one of sinks; none where nothing is left out. `what`: as in "left out of WHAT". */
export function leftOutLines({ sinks = [], ...treatment }: Effects, what: string): string[] {
  const written =
    sinks.length === 0 ? [] : [`left out of ${what}: ${sinks.map(({ name }) => `sink ${printable(name)}`).join(', ')}`]
  const { leftOut } = withoutOutsideEffects(treatment)
  if (leftOut.length === 0) return written
  const names = leftOut.map(({ name, unvouched }) => `${printable(name)} (${unvouched.join(', ') || 'outsideEffects: true'})`)
  const silent = leftOut.filter(({ unvouched }) => unvouched.length > 0)
  const way = silent.length === 0 ? '' : '; if a plugin does nothing outside the crawl, write outsideEffects: false in it'
  return [`left out of ${what}: ${names.join(', ')}${way}`, ...written]
}

/** For a run over what was crawled before, such as a replay; nothing where no plugin may. */
export function repeatedEffects(treatment: Treatment): string {
  const names = withoutOutsideEffects(treatment).leftOut.map(({ name }) => printable(name))
  return names.length === 0 ? '' : `; plugins run too, and may repeat what they do outside the crawl: ${names.join(', ')}`
}
