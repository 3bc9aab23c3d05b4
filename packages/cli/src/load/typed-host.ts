// A host, however it was typed: its name, with a port, or a URL of it.
import { AvocetError } from '@avocet/core'
import { checkSeedUrl } from './seed-list.ts'

/** As URLs have it: in lower case, in ASCII, without the port of its scheme. `command` is named in errors. Throws AVO_USAGE. */
export function typedHost(typed: string, command: string): string {
  if (typed.includes('/')) return new URL(checkSeedUrl(typed, command)).host
  const url = `${typed.endsWith(':443') ? 'https' : 'http'}://${typed}/`
  const { host, pathname, search } = URL.canParse(url) ? new URL(url) : { host: '', pathname: '', search: '' }
  if (host === '' || pathname !== '/' || search !== '' || typed.includes('@') || /\.$|\.\./.test(host.replace(/:\d+$/, '')))
    throw new AvocetError('AVO_USAGE', `${command}: expected the name of a host such as shop.example, got '${typed}'`)
  return host
}
