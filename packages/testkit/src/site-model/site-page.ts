// A page as a web serves it.

/** What stands at a path: complete, as bytes. Header names in lower case. */
export interface SitePage {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}
