// Which patterns `avocet scope accept` means: those that are closed, by either of their names, all of a host, and all hosts of a domain.
import { acceptedPatterns, assertPatterns, hostKeyOf, hostsOf, SECRET_REFERENCE, type FrontierReader } from '@avocet/core'
import { allClosedOf } from '../report/closed-patterns.ts'
import type { ScopeOptions } from './scope-options.ts'
import { unknownPattern } from './unknown-pattern.ts'

const WHOLE_HOST = '/**'
const ANY_HOST = '*.'

/** Patterns as the store has them, and those of them that nothing is closed by. Throws AVO_USAGE for such a one that is not accepted ahead. */
export async function acceptablePatterns(
  reader: FrontierReader,
  { patterns: given, ahead }: Pick<ScopeOptions, 'patterns' | 'ahead'>,
): Promise<{ readonly patterns: readonly string[]; readonly unknown: readonly string[] }> {
  assertPatterns(given)
  const closed = (await allClosedOf(reader)).map(({ pattern }) => pattern)
  const known = [...closed, ...acceptedPatterns(await reader.crawlMemories())]
  const patterns: string[] = []
  const unknown: string[] = []
  for (const pattern of given) {
    const found = known.find((each) => plainly(each) === plainly(pattern))
    patterns.push(found ?? plainly(pattern))
    if (found !== undefined || (await isWide(reader, pattern))) continue
    if (!ahead) throw unknownPattern('accept', { pattern, known: closed })
    unknown.push(plainly(pattern))
  }
  return { patterns, unknown }
}

/** In messages the reference stands for the value of a secret parameter, and in a path for a secret. */
function plainly(pattern: string): string {
  return pattern.replaceAll(SECRET_REFERENCE, '*')
}

/** Whether it is all of a host, or of a domain, that the store knows. */
async function isWide(reader: FrontierReader, pattern: string): Promise<boolean> {
  if (pattern.endsWith(WHOLE_HOST)) return (await reader.host(pattern.slice(0, -WHOLE_HOST.length))) !== undefined
  if (!pattern.startsWith(ANY_HOST)) return false
  const site = pattern.slice(ANY_HOST.length)
  for await (const { hostKey } of hostsOf(reader)) if (hostKeyOf(`http://${hostKey}/`, 'domain') === site) return true
  return false
}
