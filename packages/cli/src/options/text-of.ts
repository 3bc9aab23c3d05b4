// An option that is a text.

/** The text that was typed for `name`; undefined when there is none. */
export function textOf(typed: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = typed[name]
  return typeof value === 'string' ? value : undefined
}
