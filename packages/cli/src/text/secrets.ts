// What is not shown, on a screen that is shared or in a log that is kept: values of secret parameters, and of header fields and options that hold secrets.
import { isSecretName, SECRET_REFERENCE } from '@avocet/core/store'
import { parameterNameOf, withQueryValues } from '@avocet/core/tools'

/** `url`, which may be none, with references in place of the values of the parameters called `names`. */
export function withoutValues(url: string, names: readonly string[] = []): string {
  if (names.length === 0) return url
  const secret = new Set(names.map(parameterNameOf))
  return withQueryValues(url, (name, value) => (secret.has(name) ? SECRET_REFERENCE : value))
}

/** What is shown in place of a secret. */
export const HIDDEN = '(hidden)'

/** Header fields as they may be shown. */
export function withoutSecrets(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, isSecretName(name) ? HIDDEN : value]))
}
