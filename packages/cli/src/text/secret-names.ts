// Which header fields and options hold what is nobody else's business, on a screen that is shared or in a log that is kept.

const SECRET = /auth|cookie|token|secret|password|key/i

/** What is shown in place of a secret. */
export const HIDDEN = '(hidden)'

/** Whether a field or an option of this name is likely to hold a secret. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name)
}

/** Header fields as they may be shown. */
export function withoutSecrets(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, isSecretName(name) ? HIDDEN : value]))
}
