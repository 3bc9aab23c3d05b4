// An item of a page, on its way into the store.

/** An item as it is stored: exactly once by (request, visit, ordinal). */
export interface NewItem {
  readonly json: string
  /** Its place among all items of the page. Default: its index here. */
  readonly ordinal?: number
}
