// What the documents of plugins listed in a run: sitemaps, feeds.

/** What one document listed in a run, over all of its visits. */
export interface SourceCount {
  /** Of the document; empty for those beyond the first 1,000, together. */
  readonly url: string
  /** Links that its handler yielded. */
  readonly links: number
  /** Of these: URLs that were new. */
  readonly added: number
  /** Of these: URLs that were known and are visited again, as they were modified since. */
  readonly due: number
}
