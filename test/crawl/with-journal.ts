// Reports say what handlers got, and which links were refused, where the journal is part of a crawl.
import type { Plugin } from 'avocet'
import { journal } from '@avocet/plugin-journal'

/** `plugins` with the journal, unless they have it; what is no list is left to the checks of a crawl. */
export function withJournal(plugins: readonly Plugin[] = []): readonly Plugin[] {
  return !Array.isArray(plugins) || plugins.some((plugin) => plugin?.name === 'journal') ? plugins : [...plugins, journal()]
}
