// URLs as they may be shown: without the values of parameters that are secret.
import { parameterNameOf, SECRET_REFERENCE, withQueryValues } from '@avocet/core'

/** `url`, which may be none, with references in place of the values of the parameters called `names`. */
export function withoutValues(url: string, names: readonly string[] = []): string {
  if (names.length === 0) return url
  const secret = new Set(names.map(parameterNameOf))
  return withQueryValues(url, (name, value) => (secret.has(name) ? SECRET_REFERENCE : value))
}
