// What plugins want of the items of a page, and of those of its host that are held: a hold beats none, and to drop beats to publish.
import { Collector } from './collector.ts'
import { checkWord, notAnswer } from '../ports/plugin-answer.ts'
import type { HeldFate } from '../ports/watch.ts'
import type { Handled } from '../ports/unit.ts'

/** Joins the answers on one page. */
export class Holding extends Collector implements Pick<Handled, 'hold' | 'settleHeld'> {
  /** Why its items are held; undefined: they are not. Of several reasons the alphabetically first. */
  reason: string | undefined
  /** What becomes of what is held; undefined: nothing. */
  fate: HeldFate | undefined

  hold(reason: string): void {
    checkWord('hold(reason)', reason)
    if (this.reason === undefined || reason < this.reason) this.reason = reason
  }

  settleHeld(to: HeldFate): void {
    if (to !== 'publish' && to !== 'drop') throw notAnswer('settleHeld(to)', "'publish' or 'drop'", to)
    if (this.fate !== 'drop') this.fate = to
  }

  /** A plugin threw: what the others want counts. */
  threw(): void {}
}
