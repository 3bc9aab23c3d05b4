// Rules as text, to tell whether they are the same as in an earlier run.

/** JSON in which patterns and Infinity are told apart, too. */
export function ruleText(rules: unknown): string {
  return JSON.stringify(rules, (_key, value: unknown) =>
    value instanceof RegExp || typeof value === 'number' ? String(value) : value,
  )
}
