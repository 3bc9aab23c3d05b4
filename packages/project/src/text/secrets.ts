// What is not shown, on a screen that is shared or in a log that is kept: values of header fields and options that hold secrets.
import { isSecretName } from '@avocet/plugin-secrets/names'

/** What is shown in place of a secret. */
export const HIDDEN = '(hidden)'

/** Header fields as they may be shown. */
export function withoutSecrets(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, isSecretName(name) ? HIDDEN : value]))
}
