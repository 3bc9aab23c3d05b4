// The plugin: what `alerts()` returns. It decides nothing of the crawl.
import { definePlugin, type Plugin } from '@avocet/core'
import { isRefusal } from '@avocet/core/plugin'
import { messageOf } from '@avocet/core/store'
import { AlertWatch } from './alert-watch.ts'
import { type AlertsMemory, freshAlerts } from './laws/alert-law.ts'
import { type RecentAnswers, countAnswer, noAnswers } from './laws/answers.ts'
import { type AlertOptions, alertSettings } from './options.ts'
import { ALERTS_NAME } from './readings.ts'
import { heartbeat, targetsOf } from './targets.ts'

/** For a test message. */
const TEST_MS = 30_000

/**
 * Sends a message when something needs a person, and another one when it has ended: hosts that are broken, blocked or given up, refusals, sinks that
 * are behind, late visits, a crawl that is paused or has failed. A target that is down gets the messages later. One process of a crawl sends.
 *
 * @throws AVO_CONFIG_INVALID for an option that is unknown or wrong. Its message quotes no URL and no password.
 * @example
 * ```ts
 * // alerts.ts
 * import { alerts } from '@avocet/plugin-alerts'
 *
 * const { SLACK_URL = 'https://hooks.slack.example/T0AB', HEARTBEAT_URL = 'https://hc.example/ping/1' } = process.env
 * export const plugins = [alerts({ to: [{ slack: SLACK_URL }], heartbeat: HEARTBEAT_URL, rules: { refusedRatio: 0.5 } })]
 * ```
 */
export function alerts(options: AlertOptions): Plugin {
  const settings = alertSettings(options)
  const targets = targetsOf(options.to)
  const work = { ...settings, targets, ...(options.heartbeat !== undefined && { beat: heartbeat(options.heartbeat) }) }
  const watches = new WeakMap<AlertsMemory, AlertWatch>()
  return definePlugin<RecentAnswers, AlertsMemory>({
    name: ALERTS_NAME,
    version: 2,
    outsideEffects: true,
    options: { to: targets.map(({ name }) => name), heartbeat: options.heartbeat !== undefined },
    hostMemory: noAnswers,
    crawlMemory: freshAlerts,
    merge: (a, b) => (a.revision >= b.revision ? a : b),
    // Its part of hosts' memory is read with the others.
    findings: { parts: [ALERTS_NAME] },
    open: (session, memory) => void watches.set(memory, new AlertWatch(session, memory, work)),
    onResponse({ response: { status }, forbidden, now }, host) {
      countAnswer(host, isRefusal(status) || forbidden, now)
    },
    close: (report, memory) => watches.get(memory)?.close(report),
    test({ crawl, clock }) {
      const text = 'this is a test of avocet check --alerts; nothing is wrong'
      const at = clock.now()
      const alert = { id: `test ${at}`, state: 'test' as const, rule: '', subjects: [], more: 0, since: at, at, text, crawl }
      return Promise.all(
        targets.map(({ name: to, send }) =>
          send(alert, { signal: AbortSignal.timeout(TEST_MS), clock }).then(
            () => ({ to }),
            (error: unknown) => ({ to, problem: messageOf(error) }),
          ),
        ),
      )
    },
  })
}
