// The name servers of a configuration: checked when it is read, long before a name is asked for.
import { Resolver } from 'node:dns'
import { AvocetError, messageOf } from './errors.ts'

/** Throws AVO_CONFIG_INVALID for servers that nobody would ask, and for those that are no addresses. */
export function checkNameServers({
  resolver,
  nameServers,
}: {
  readonly resolver?: 'dns' | 'system' | undefined
  readonly nameServers?: readonly string[] | undefined
}): void {
  if (nameServers === undefined) return
  if (resolver === 'system')
    throw new AvocetError(
      'AVO_CONFIG_INVALID',
      "expected no nameServers with resolver: 'system', which has its own; leave one out",
    )
  try {
    if (nameServers.length === 0) throw new Error('an empty list')
    new Resolver().setServers(nameServers)
  } catch (error) {
    const expected = "expected nameServers to be IP addresses with or without a port, like '192.0.2.53'"
    throw new AvocetError('AVO_CONFIG_INVALID', `${expected}, got ${JSON.stringify(nameServers)} (${messageOf(error)})`)
  }
}
