// A plugin that writes one line for each decision of a crawl. Two crawls behave alike exactly if their logs are the same, byte for byte.
import { definePlugin, type Plugin } from '@avocet/core'
import type { Outcome } from '@avocet/core/store'

/**
 * The plugin `decision-log`. A line is `time host seq event detail`: epoch ms, host key, number of the exchange at its host (`-` where there
 * is none), then one of `admit`, `unsent`, `answer`, `error`, `settle`, `retire`. It decides nothing itself.
 *
 * @param to An array that the lines are appended to, or a function that gets each.
 *
 * @example
 * ```ts
 * const lines: string[] = []
 * await clock.run(() => crawl({ spider, policies: polite(), clock, fetcher: web, randomSeed: 'a', plugins: [decisionLog(lines)] }).run())
 * ```
 */
export function decisionLog(to: string[] | ((line: string) => void)): Plugin {
  const write = typeof to === 'function' ? to : (line: string): void => void to.push(line)
  let clock: { now(): number } = { now: () => 0 }
  const say = (at: number, host: string, seq: number | '-', said: string): void =>
    write(`${String(at)} ${host} ${String(seq)} ${said}`)
  return definePlugin({
    name: 'decision-log',
    seesRequired: true,
    open(session) {
      clock = session.clock
    },
    onAdmit({ admittedAt, host, seq, request }) {
      say(admittedAt, host.key, seq, `admit ${request.url}`)
    },
    onUnsent({ host, seq, request }) {
      say(clock.now(), host.key, seq, `unsent ${request.url}`)
    },
    onResponse({ exchange: { host, seq, request }, response, now }) {
      say(now, host.key, seq, `answer ${String(response.status)} ${request.url}`)
    },
    onError({ exchange: { host, seq, request }, failure, now }) {
      say(now, host.key, seq, `error ${failure.code} ${request.url}`)
    },
    onSettled({ request, outcome, items, added, now }) {
      say(now, request.hostKey, '-', `settle ${told(outcome)} items=${String(items)} added=${String(added)} ${request.url}`)
    },
    onTrace(event) {
      if (event.kind === 'retired') say(event.at, event.hostKey, '-', `retire ${event.reason}`)
    },
  })
}

function told(outcome: Outcome): string {
  if (outcome.kind === 'done') return 'done'
  if (outcome.kind === 'moved') return `moved ${outcome.target}`
  if (outcome.kind === 'failed') return `failed ${outcome.reason}`
  return `retry ${String(outcome.at)} ${outcome.counted ? 'counted' : 'free'} ${outcome.reason}`
}
