// An order as it may be in a store: what is secret in a URL that is added is in memory only, as it is of seeds and links.
import { parseUrl } from '../url/parse-url.ts'
import { assertControl, type Control } from './control.ts'

/** Without user names and passwords in URLs; `hidden`: has references in place of values of secret parameters. Throws AVO_USAGE for what is no order. */
export function storedControl(control: Control, hidden: (url: string) => string): Control {
  assertControl(control)
  if (control.kind !== 'add') return control
  return { ...control, seeds: control.seeds.map((seed) => ({ ...seed, url: hidden(parseUrl(seed.url) ?? seed.url) })) }
}
