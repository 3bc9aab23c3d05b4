// What a site says about the use of its content, by AI and others: kept as it is written, for people to read. It is not interpreted, and decides nothing.
//
// In robots.txt these are lines of a group, Content-Signal (contentsignals.org) and Content-Usage (IETF draft-ietf-aipref-attach); in answers, header fields of
// the same names and those of the TDM Reservation Protocol (W3C). None of them is a standard yet, and what they ask for depends on what the items are for.
import { headerOf, type ResponseHeaders } from '@avocet/core/plugin'
import type { Robots } from './parse.ts'
import { productToken } from './product-token.ts'

/** Memory is written with every lease, and a site may say something else on every page. */
const MAX_LINES = 8
const MAX_CHARACTERS = 160

const FIELDS = ['Content-Usage', 'Content-Signal', 'TDM-Reservation', 'TDM-Policy'].map(
  (name) => [name, name.toLowerCase()] as const,
)

/**
 * The lines of a robots.txt that say what its content may be used for, as far as they concern `agent`: each once, as they are written.
 *
 * @example
 * ```ts
 * import { parseRobots } from '@avocet/plugin-robots'
 * preferencesOf(parseRobots('User-agent: *\nContent-Signal: ai-train=no'), 'avocet') // ['Content-Signal: ai-train=no']
 * ```
 * Source: contentsignals.org; draft-ietf-aipref-attach.
 */
export function preferencesOf(robots: Robots, agent: string): readonly string[] {
  const token = productToken(agent) ?? '*'
  const name = robots.groups.some(({ agents }) => agents.has(token)) ? token : '*'
  const ours = robots.preferences.filter(({ agents }) => agents === undefined || agents.has(name))
  return [...new Set(ours.map(({ text }) => text.slice(0, MAX_CHARACTERS)))].slice(0, MAX_LINES)
}

/** `known` and what the header fields of an answer add to it; the same list if that is nothing. */
export function withDeclared(known: readonly string[] | undefined, headers: ResponseHeaders): readonly string[] | undefined {
  let lines = known
  for (const [name, key] of FIELDS) {
    const value = headerOf(headers, key)
    if (value === undefined) continue
    const line = `${name}: ${value}`.slice(0, MAX_CHARACTERS)
    if ((lines?.length ?? 0) < MAX_LINES && lines?.includes(line) !== true) lines = [...(lines ?? []), line]
  }
  return lines
}
