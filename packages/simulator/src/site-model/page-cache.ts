// Pages that were asked for lately, as bytes: making one costs more than everything else that a simulated exchange does.
import type { SitePage } from './site-page.ts'

/** Bytes of bodies kept, over all hosts. */
const MAX_BYTES = 32 * 2 ** 20

/** A bounded map from host and path to page. When full it is emptied: cheaper than an order of use, and a page is only a function away. */
export class PageCache {
  readonly #hosts = new Map<string, Map<string, SitePage>>()
  #bytes = 0

  get(host: string, path: string): SitePage | undefined {
    return this.#hosts.get(host)?.get(path)
  }

  set(host: string, path: string, page: SitePage): void {
    // The path and the map's entry count too, or a million tiny pages would not be bounded at all.
    this.#bytes += page.body.byteLength + path.length + 500
    if (this.#bytes > MAX_BYTES) {
      this.#hosts.clear()
      this.#bytes = page.body.byteLength
    }
    let pages = this.#hosts.get(host)
    if (pages === undefined) this.#hosts.set(host, (pages = new Map<string, SitePage>()))
    pages.set(path, page)
  }
}
