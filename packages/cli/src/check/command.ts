// `avocet check`, as the command line knows it.
import { AvocetError } from '@avocet/core'
import { crawlOptionsOf, given, textOf, type Typed } from '@avocet/project/options'
import { type DeclaredCommand, JSON_FLAG, PLAN_FLAGS, switchFlag, valueFlag } from '@avocet/project/command'
import type { CheckWish } from './check.ts'
import type { ValuesWish } from './values.ts'

/** What was typed: whether it would run, its values, or the targets of its alerts. */
type Wish = ({ readonly look: 'run' } & CheckWish) | ({ readonly look: 'values' } & ValuesWish) | AlertsWish

interface AlertsWish extends Pick<CheckWish, 'options'> {
  readonly look: 'alerts'
}

/** Options that exclude those of another row. */
const LOOKS = [['values', 'get'], ['alerts'], ['offline', 'strict']] as const

/** `avocet check`. */
export const CHECK: DeclaredCommand<Wish> = {
  name: 'check',
  arguments: '[targets..]',
  describes: { targets: 'One spider (file or name), or URLs, as for avocet crawl' },
  examples: ['avocet check', 'avocet check spider.ts --get userAgent --values'],
  flags: {
    offline: switchFlag('Skip what needs the network: robots.txt'),
    strict: switchFlag('Exit with 4 for warnings, too'),
    values: switchFlag('Show the value of each option, and where it comes from'),
    get: valueFlag('KEY', 'Print the value of this option, or of a group'),
    alerts: switchFlag('Send a test message to each target of alerts()'),
    ...PLAN_FLAGS,
    ...JSON_FLAG,
  },
  rareTopic: 'crawl-options',
  notes: [
    'Requests robots.txt of the hosts of the seeds, and nothing else.',
    'Exit code: 0, 4 when a problem would stop the crawl, or 7 when a target of',
    'alerts() did not take its message.',
  ],
  read: wishOf,
  async run(wish, place) {
    if (wish.look === 'alerts') return (await import('./alerts.ts')).alertsCommand(wish.options, place)
    if (wish.look === 'values') return (await import('./values.ts')).valuesCommand(wish, place)
    return (await import('./check.ts')).checkCommand(wish, place)
  },
}

function wishOf(typed: Typed): Wish {
  const [look, other] = LOOKS.flatMap((names) =>
    names.filter((name) => typed[name] !== undefined && typed[name] !== false).slice(0, 1),
  )
  if (other !== undefined)
    throw new AvocetError('AVO_USAGE', `check: expected --${look ?? ''} or --${other}, got both; leave one out`)
  const options = crawlOptionsOf(typed)
  if (look === 'alerts') return { look, options }
  if (look === 'values' || look === 'get')
    return { look: 'values', options, ...given('key', textOf(typed, 'get')), origins: typed['values'] === true }
  return { look: 'run', options, offline: typed['offline'] === true, strict: typed['strict'] === true }
}
