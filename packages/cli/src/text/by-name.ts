// The order of hosts in every list: by name, as people count, so that shop-2 is before shop-10.

const NAMES = new Intl.Collator('en', { numeric: true })

/** For `toSorted`. Names that count alike are told apart by their letters, so that the order is always the same. */
export function byName(a: { readonly hostKey: string }, b: { readonly hostKey: string }): number {
  return NAMES.compare(a.hostKey, b.hostKey) || (a.hostKey < b.hostKey ? -1 : Number(a.hostKey > b.hostKey))
}
