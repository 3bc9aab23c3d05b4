// Where the page and metrics are served: `8042`, `0.0.0.0:8042`, `[::1]:8042`; without a host on this machine alone.
import { AvocetError } from '@avocet/core'
import { isLoopback, type ServerAddress } from '@avocet/metrics/address'
import { isIP } from 'node:net'
import { given, textOf, type Typed } from './values.ts'

/** An address. Absent: 127.0.0.1, any port. */
export type PageAddress = Partial<ServerAddress>

const MAX_PORT = 65_535
const WRITTEN = /^(?:(?:\[([0-9a-f:.]+)\]|([a-z0-9]+(?:[-.]+[a-z0-9]+)*)):)?(\d{1,5})$/i

/** The address that is written so; undefined where it is none. */
export function listenAddressOf(written: string | number): ServerAddress | undefined {
  const [whole, six, name, digits] = WRITTEN.exec(String(written)) ?? []
  const port = Number(digits)
  if (whole === undefined || port > MAX_PORT || (six !== undefined && isIP(six) !== 6)) return undefined
  return { host: six ?? name ?? '127.0.0.1', port }
}

/** Reads what was typed as `name`. Throws AVO_USAGE. */
export function parsePageAddress(text: string, name: string): PageAddress {
  return text === '' ? {} : typedAddress(text, name, 8042)
}

/** The same where a port is needed, such as `port`. */
export function typedAddress(text: string, name: string, port: number): ServerAddress {
  const address = listenAddressOf(text)
  if (address !== undefined) return address
  const way = `use ${port}, or 0.0.0.0:${port} for other machines`
  throw new AvocetError('AVO_USAGE', `${name}: expected a port from 0 to ${MAX_PORT}, or HOST:PORT, got '${text}'; ${way}`)
}

/** What `--ui` asks for. A password without a page does nothing. Throws AVO_USAGE. */
export function pageWishOf(typed: Typed): { readonly address: PageAddress; readonly passwordPath?: string } | undefined {
  const [address, passwordPath] = [textOf(typed, 'ui'), textOf(typed, 'ui-password-file')]
  if (address === undefined && passwordPath !== undefined)
    throw new AvocetError('AVO_USAGE', '--ui-password-file: expected a page to ask for it, got none; add --ui')
  if (address === undefined) return undefined
  const where = parsePageAddress(address, '--ui')
  if (passwordPath === undefined && !isLoopback(where.host ?? 'localhost'))
    throw new AvocetError(
      'AVO_USAGE',
      `--ui: expected a password for ${where.host}, which others can reach, got none; add --ui-password-file FILE, or leave out the host`,
    )
  return { address: where, ...given('passwordPath', passwordPath) }
}
