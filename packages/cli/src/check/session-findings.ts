// What is found out about sessions that seeds name: whether the configuration has settings of a session that was meant.
import type { CrawlConfig, Seed } from '@avocet/core'
import { didYouMean } from '@avocet/core/plugin'
import { findings, type Finding } from './finding.ts'

/**
 * Seeds may name any session, so one that the configuration does not have is no error. But where a similar one has a proxy or credentials that no seed uses,
 * requests would go without them.
 */
export function sessionFindings(seeds: readonly Seed[], sessions: CrawlConfig['sessions'] = {}): readonly Finding[] {
  const named = new Set(seeds.flatMap(({ session }) => (typeof session === 'string' ? [session] : [])))
  const idle = Object.keys(sessions).filter((name) => !named.has(name))
  const lines = [...named].flatMap((name) => {
    const hint = Object.hasOwn(sessions, name) ? '' : didYouMean(name, idle)
    return hint === ''
      ? []
      : [`session ${name} of a seed is not among the sessions of the configuration${hint}: it has only cookies`]
  })
  return findings('seeds', 'warn', lines)
}
