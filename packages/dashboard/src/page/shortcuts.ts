// Keys that do something from anywhere, but not while somebody types.
import type { ViewName } from '../view-wish.ts'

/** What a key asks for. */
export type Shortcut = { readonly kind: 'view'; readonly view: ViewName } | { readonly kind: 'search' | 'pause' | 'help' }

/** As they are listed. */
export const SHORTCUTS: readonly { readonly key: string; readonly words: string; readonly does: Shortcut }[] = [
  { key: 'n', words: 'the crawl now', does: { kind: 'view', view: 'now' } },
  { key: 'h', words: 'hosts', does: { kind: 'view', view: 'hosts' } },
  { key: 'i', words: 'items', does: { kind: 'view', view: 'items' } },
  { key: 'g', words: 'failed pages', does: { kind: 'view', view: 'failures' } },
  { key: 'c', words: 'all crawls', does: { kind: 'view', view: 'crawls' } },
  { key: '/', words: 'find a host', does: { kind: 'search' } },
  { key: 'p', words: 'pause (asks first), or resume', does: { kind: 'pause' } },
  { key: '?', words: 'these keys', does: { kind: 'help' } },
]

/** What `event` asks for, if anything. */
export function shortcutOf(event: KeyboardEvent): Shortcut | undefined {
  const target = event.target as HTMLElement
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest('input, select, textarea, dialog[open]') !== null)
    return undefined
  return SHORTCUTS.find(({ key }) => key === event.key)?.does
}
