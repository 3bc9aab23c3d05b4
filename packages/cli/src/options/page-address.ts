// Where a page is served: `8042`, `HOST:8042`, or nothing for any free port of this machine.
import { AvocetError } from '@avocet/core'
import type { Variables } from './declared-command.ts'
import { isLoopback, listenAddressOf } from '@avocet/core/tools'
import { given, textOf, type Typed } from './values.ts'

/** An address. Absent: 127.0.0.1, any port. */
export interface PageAddress {
  readonly host?: string
  readonly port?: number
}

/** Reads what was typed as `name`. Throws AVO_USAGE. */
export function parsePageAddress(text: string, name: string): PageAddress {
  if (text === '') return {}
  const address = listenAddressOf(text)
  if (address !== undefined) return address
  throw new AvocetError('AVO_USAGE', `${name}: expected a port, or HOST:PORT, got '${text}'; for example 8042, or 0.0.0.0:8042`)
}

/** The page and metrics cannot have one port. Throws AVO_USAGE. */
export function checkPortsApart(ui: PageAddress | undefined, metrics: string | undefined): void {
  const scraped = metrics === undefined ? undefined : listenAddressOf(metrics)
  if (ui?.port === undefined || ui.port === 0 || ui.port !== scraped?.port) return
  const hosts = new Set([ui.host ?? '127.0.0.1', scraped.host])
  if (hosts.size > 1 && ![...hosts].some((host) => host === '0.0.0.0' || host === '::')) return
  throw new AvocetError('AVO_USAGE', `expected different ports for --ui and --metrics, got ${ui.port} for both; change one`)
}

/** What `--ui` asks for. A password without a page does nothing, unless the environment has it for all crawls. Throws AVO_USAGE. */
export function pageWishOf(
  typed: Typed,
  variables: Variables,
): { readonly address: PageAddress; readonly passwordPath?: string } | undefined {
  const [address, passwordPath] = [textOf(typed, 'ui'), textOf(typed, 'ui-password-file')]
  if (address === undefined && passwordPath !== undefined && variables['ui-password-file'] === undefined)
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
