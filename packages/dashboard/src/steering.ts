// Port: what can be done to a crawl from the page. Only what a steering offers is shown.
import type { Control } from '@avocet/core/tools'

/** Which given-up pages: one page, a class, those of a host; none of them: all temporary failures. */
export interface WhichPages {
  readonly url?: string
  readonly failureClass?: string
  readonly hostKey?: string
}

/** An action: an order of an operator, or that given-up pages wait again, or are dropped. */
export type SteeringAction = Control | ({ readonly kind: 'reopen' } & WhichPages) | ({ readonly kind: 'drop' } & WhichPages)

/** Name of an action. */
export type SteeringKind = SteeringAction['kind']

/** The port. */
export interface Steering {
  /** What can be done, now. */
  readonly offers: readonly SteeringKind[]
  /** Does it, and says in one line what was done. Throws AvocetError where it cannot be done. */
  act(action: SteeringAction): Promise<string>
}
