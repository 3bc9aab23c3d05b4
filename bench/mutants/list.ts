// All ways in which `npm run mutants` breaks the code.
import { ASKED } from './list/asked.ts'
import { BREAKER } from './list/breaker.ts'
import { COMMIT } from './list/commit.ts'
import { DROPPED } from './list/dropped.ts'
import { DISCOVERY } from './list/discovery.ts'
import { FENCE } from './list/fence.ts'
import { GUARDS } from './list/guards.ts'
import { HANDLERS } from './list/handlers.ts'
import { NETWORK_GUARD } from './list/network-guard.ts'
import { ORDERS } from './list/orders.ts'
import { PROXIES } from './list/proxies.ts'
import { QUEUES } from './list/queues.ts'
import { RATE } from './list/rate.ts'
import { RATE_LAWS } from './list/rate-laws.ts'
import { REFUSED } from './list/rejects.ts'
import { REPORT } from './list/report.ts'
import { RETRY } from './list/retry.ts'
import { ROBOTS } from './list/robots.ts'
import { SECRETS } from './list/secrets.ts'
import { KEPT } from './list/kept.ts'
import { TRAPS } from './list/traps.ts'
import { SCHEDULER } from './list/scheduler.ts'
import { TIME } from './list/time.ts'
import { TIMEOUT } from './list/timeout.ts'
import { TENURE } from './list/tenure.ts'
import { TURNS } from './list/turns.ts'
import { VERDICTS } from './list/verdicts.ts'
import { WINDOW } from './list/window.ts'
import type { Mutant } from './mutant.ts'

/** Each with a name of its own. */
export const MUTANTS: readonly Mutant[] = [
  ...ASKED,
  ...DROPPED,
  ...BREAKER,
  ...COMMIT,
  ...DISCOVERY,
  ...FENCE,
  ...GUARDS,
  ...HANDLERS,
  ...NETWORK_GUARD,
  ...ORDERS,
  ...PROXIES,
  ...QUEUES,
  ...RATE,
  ...RATE_LAWS,
  ...REFUSED,
  ...REPORT,
  ...RETRY,
  ...ROBOTS,
  ...SECRETS,
  ...KEPT,
  ...TRAPS,
  ...SCHEDULER,
  ...TIME,
  ...TIMEOUT,
  ...TENURE,
  ...TURNS,
  ...VERDICTS,
  ...WINDOW,
]
