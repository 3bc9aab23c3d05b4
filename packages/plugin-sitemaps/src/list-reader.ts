// What a sitemap or a feed says of one URL.

/** One URL of a list. */
export interface ListedUrl {
  /** Absolute, without a fragment. */
  readonly url: string
  /** Epoch ms. Absent: the list says nothing that can be read. Of a day without a time: the end of that day, in UTC. */
  readonly modifiedAt?: number
  /** From 0 to 1. Absent: the list says nothing that can be read. */
  readonly priority?: number
}

/** What a document is. `index`: it lists sitemaps. `other`: it is no list, such as an HTML page. */
export type ListKind = 'sitemap' | 'index' | 'feed' | 'text' | 'other'

/** What was read of a document. */
export interface ReadList {
  readonly kind: ListKind
  readonly urls: readonly ListedUrl[]
  /** Why something is missing, as a sentence without its subject. Absent: all was read. */
  readonly problem?: string
}

/** A reader of one format. */
export interface ListReader {
  /** Known once the root element has come. */
  readonly kind: ListKind
  /** Why it reads no further, or what it lacks. */
  readonly problem?: string | undefined
  /** The next characters. */
  write(text: string): void
  /** All has come; `isWhole`: nothing was cut off. */
  end(isWhole: boolean): void
}

/** Takes what a reader finds, relative to `base`, by default the document; returns false when there is room for no more. */
export type TakeUrl = (found: {
  readonly text: string
  readonly base?: string
  readonly date?: string
  readonly priority?: string
}) => boolean
