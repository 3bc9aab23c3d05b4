// Whether the names of the seeds' hosts resolve.
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { sleepUntil, type Clock, type Seed } from '@avocet/core'
import { formatCount, formatCountOf } from '../text/quantity.ts'
import { lineEach, type Finding } from './finding.ts'

const MAX_NAMES = 100
const MAX_WAIT_MS = 5_000

/** What was found, and the names that lead nowhere. */
export interface Resolved {
  readonly findings: readonly Finding[]
  readonly nameless: ReadonlySet<string>
}

/** Asks the system's resolver, all names at once, as a crawl's fetcher would. */
export async function dnsFindings(seeds: readonly Seed[], clock: Clock): Promise<Resolved> {
  const all = [...new Set(seeds.map(({ url }) => new URL(url).hostname))].filter(
    (name) => isIP(name.replace(/^\[|\]$/g, '')) === 0,
  )
  const names = all.slice(0, MAX_NAMES)
  const late = sleepUntil(clock, clock.now() + MAX_WAIT_MS).then(() => 'no answer within 5 s; look at the network')
  const problems = await Promise.all(
    names.map(async (name) => {
      const problem = await Promise.race([problemOf(name), late])
      return problem === undefined ? [] : [{ name, line: `${name}: ${problem}` }]
    }),
  )
  const bad = problems.flat()
  const nameless = new Set(bad.map(({ name }) => name))
  if (bad.length > 0)
    return {
      findings: lineEach(
        bad.map(({ line }) => line),
        { subject: 'dns', state: 'fail' },
      ),
      nameless,
    }
  const some = all.length > names.length ? `${formatCount(names.length)} of ` : ''
  const said = all.length === 0 ? 'the seeds name addresses' : `${some}${formatCountOf(all.length, 'name')} of seeds resolved`
  return { findings: [{ subject: 'dns', state: 'ok', said }], nameless }
}

async function problemOf(name: string): Promise<string | undefined> {
  try {
    await lookup(name)
    return undefined
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'an error'
    return code === 'ENOTFOUND'
      ? 'there is no such name; look for a typo in the seed'
      : `the resolver said ${code}; look at the network`
  }
}
