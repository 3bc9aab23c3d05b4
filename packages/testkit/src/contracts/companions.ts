// Plugins that a plugin under test is crawled together with: they hold, limit, vote and remember, so that what does not commute shows.
import { definePlugin, type Plugin } from '@avocet/core'

/** Made anew for each crawl. */
export function companions(): readonly Plugin[] {
  return [spacing(), patientVoter(), ledger()]
}

/** Holds hosts: half a second between two bookings, and at most two at once. */
function spacing(): Plugin {
  return definePlugin({
    name: 'companion-spacing',
    seesRequired: true,
    hostMemory: () => ({ lastAt: 0 }),
    admit(ask, host) {
      ask.notBefore(host.lastAt + 500, 'companion spacing')
      ask.atMost(2, 'companion limit')
    },
    onAdmit({ admittedAt }, host) {
      host.lastAt = admittedAt
    },
  })
}

/** Votes: twice again for what failed by the host's fault, with jitter, and tightens a limit. */
function patientVoter(): Plugin {
  return definePlugin({
    name: 'companion-voter',
    onAdmit(exchange) {
      exchange.limit({ firstByteMs: 10_000, connectMs: 5_000 })
    },
    onResponse(answer) {
      const { exchange, response, now } = answer
      if (response.status < 429) return
      answer.retry(now + 2_000 + 1_000 * exchange.random('companion'), `http-${String(response.status)}`, { counted: false })
    },
    onError(failed) {
      const { exchange, failure, now } = failed
      if (failure.blame !== 'host' || exchange.request.attempts >= 2) return
      failed.retry(now + 1_000 * (1 + exchange.random('companion')), 'companion-again')
    },
  })
}

/** Remembers: what happened at each host, and in all. */
function ledger(): Plugin {
  return definePlugin({
    name: 'companion-ledger',
    hostMemory: () => ({ booked: 0, unsent: 0, answered: 0, failed: 0 }),
    crawlMemory: () => ({ settled: 0 }),
    merge: (a, b) => ({ settled: Math.max(a.settled, b.settled) }),
    onAdmit: (_exchange, host) => void host.booked++,
    onUnsent: (_exchange, host) => void host.unsent++,
    onResponse: (_answer, host) => void host.answered++,
    onError: (_failed, host) => void host.failed++,
    onSettled: (_settled, crawl) => void crawl.settled++,
  })
}
