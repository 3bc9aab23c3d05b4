// A table of limits with its defaults filled in.
import { AvocetError } from '../errors.ts'

/** `told` over `defaults`; what is undefined is as if it were not there. Throws AVO_CONFIG_INVALID where `told` is no table; `name`: of the option. */
export function limitsOf<Limits extends object>(name: string, defaults: Limits, told: unknown = {}): Limits {
  if (typeof told !== 'object' || told === null || Array.isArray(told)) {
    const names = Object.keys(defaults).join(', ')
    throw new AvocetError(
      'AVO_CONFIG_INVALID',
      `expected ${name} to be an object of limits (${names}), got ${JSON.stringify(told)}`,
    )
  }
  const said = Object.entries(told).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(said) }
}
