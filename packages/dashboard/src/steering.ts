// Port: what can be done to a crawl from the page. Only what a steering offers is shown.

/** Limits of one host; what is absent stays as it is. */
export interface HostBounds {
  readonly maxRps?: number
  readonly delayMs?: number
  readonly maxInFlight?: number
}

/** An action with what it is about. Durations in ms, moments in epoch ms. */
export type SteeringAction =
  | { readonly kind: 'pause' | 'resume' }
  /** `drain`: requests in flight finish first; without, they go back to the queue. */
  | { readonly kind: 'stop'; readonly drain: boolean }
  | { readonly kind: 'host-pause'; readonly hostKey: string; readonly until?: number }
  | { readonly kind: 'host-resume' | 'host-forget'; readonly hostKey: string }
  | { readonly kind: 'host-limits'; readonly hostKey: string; readonly limits: HostBounds }
  /** Given-up pages wait again: one page, a class, those of a host, or all that time may heal. */
  | { readonly kind: 'reopen'; readonly url?: string; readonly failureClass?: string; readonly hostKey?: string }
  | { readonly kind: 'drop'; readonly url?: string; readonly failureClass?: string; readonly hostKey?: string }
  | { readonly kind: 'add-seeds'; readonly urls: readonly string[] }

/** Name of an action. */
export type SteeringKind = SteeringAction['kind']

/** The port. */
export interface Steering {
  /** What can be done, now. */
  readonly offers: readonly SteeringKind[]
  /** Does it, and says in one line what was done. Throws AvocetError where it cannot be done. */
  act(action: SteeringAction): Promise<string>
}
