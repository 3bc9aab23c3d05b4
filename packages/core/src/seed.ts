// Where a crawl starts.

/** A URL to start with. A plain string is a seed for the handler `start`. */
export interface Seed<Name extends string = string, Data = unknown> {
  readonly url: string
  readonly handler?: Name
  readonly priority?: number
  /** Passed to the handler as `page.request.data`. JSON. */
  readonly data?: Data
  readonly method?: string
  /**
   * Header fields of its own. They replace the crawl's fields of the same name. If `user-agent` is among them, robots.txt is still read for the `userAgent`
   * of the crawl.
   */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /**
   * What distinguishes this request from others with the same method, URL, body and handler: names of fields in `headers`, or a key of your own. The
   * target of a redirect keeps it.
   */
  readonly identity?: readonly string[] | string
}
