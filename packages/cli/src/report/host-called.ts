// Finds the host that a person named, or says which was probably meant.
import { AvocetError, type FrontierReader, type HostRecord } from '@avocet/core'
import { closest } from '../text/closest.ts'
import { allHosts } from './store-report.ts'

/**
 * The host called `hostKey`.
 *
 * @throws AVO_USAGE with the nearest name when the store does not know it.
 */
export async function hostCalled(reader: FrontierReader, hostKey: string): Promise<HostRecord> {
  const record = await reader.host(hostKey)
  if (record) return record
  const names = (await allHosts(reader)).map((host) => host.hostKey)
  const near = names.find((name) => name === `www.${hostKey}` || `www.${name}` === hostKey || name.startsWith(`${hostKey}:`))
  const meant = near ?? closest(hostKey, names)
  const hint = meant === undefined ? 'avocet hosts lists them' : `did you mean '${meant}'?`
  throw new AvocetError('AVO_USAGE', `report --host: expected a host that the store knows, got '${hostKey}'; ${hint}`)
}
