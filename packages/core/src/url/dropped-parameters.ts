// Query parameters that say where a visitor comes from, or which session this is, and not which page is meant: they are removed from every URL that a crawl
// comes to know.
//
// They are removed before a URL is compared, stored and requested, not only where URLs are compared: so what is in the store says by itself which page it
// is, for a store that is read or resumed with another list. What a server redirects to is requested as the server writes it where it is the same
// page: a site that adds a parameter to each of its URLs, and redirects to them, would otherwise redirect for ever.
import type { Scope } from '../ports/spider.ts'
import { parseUrl } from './parse-url.ts'

/** Parameters that advertising and mail services add to links, and that no page depends on. */
const TRACKING: readonly string[] = [
  'utm_*',
  // Google: clicks on advertisements and shopping results, visits across domains.
  ...['gclid', 'gclsrc', 'gbraid', 'wbraid', 'dclid', 'srsltid', '_ga', '_gl'],
  // Facebook, Instagram, Microsoft, Yandex, X, TikTok, LinkedIn.
  ...['fbclid', 'igshid', 'msclkid', 'yclid', 'twclid', 'ttclid', 'li_fat_id'],
  // Mailchimp, HubSpot, Marketo, Omeda, Vero.
  ...['mc_cid', 'mc_eid', '_hsenc', '_hsmi', 'mkt_tok', 'oly_anon_id', 'oly_enc_id', 'vero_id'],
]

/** In which frameworks keep the session of a visitor without cookies. `sid` is not among them: many sites use it for something else. */
const SESSIONS: readonly string[] = ['jsessionid', 'phpsessid', 'aspsessionid*', 'cfid', 'cftoken']

/** Removes parameters from URLs. */
export class DroppedParameters {
  /** As compared: decoded and in lower case, sorted. */
  readonly names: readonly string[]
  readonly #whole: ReadonlySet<string>
  readonly #beginnings: readonly string[]
  /** Nearly no URL has any of them, and a page has a hundred links: one look at the whole text says so. A name with an escape in it may be any. */
  readonly #mayHave: RegExp

  /** What a scope means. */
  static of({ tracking = true, sessions = false, names = [] }: NonNullable<Scope['dropParameters']> = {}): DroppedParameters {
    return new DroppedParameters([...(tracking ? TRACKING : []), ...(sessions ? SESSIONS : []), ...names])
  }

  /** `names`: whole, or their beginning followed by `*`. */
  constructor(names: readonly string[]) {
    this.names = [...new Set(names.map(parameterNameOf))].toSorted()
    this.#whole = new Set(this.names.filter((name) => !name.endsWith('*')))
    this.#beginnings = this.names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1))
    const written = this.names.map((name) => name.replace(/\*$/, '').replaceAll(/[^\w-]/g, '\\$&'))
    this.#mayHave = new RegExp(`[?&;](?:${[...written, '[^?&;=#]*[%+]'].join('|')})`, 'i')
  }

  /**
   * `url`, which is in WHATWG form, without them: in its query, and as path parameters. Every other character stays as it is, but segments of dots
   * that are left in the path are resolved: the result is in WHATWG form as well.
   *
   * @example
   * ```ts
   * new DroppedParameters(['utm_*']).from('https://shop.example/a?utm_source=mail&b=2') // 'https://shop.example/a?b=2'
   * ```
   */
  from(url: string): string {
    if (this.names.length === 0 || !this.#mayHave.test(url)) return url
    const hash = url.indexOf('#')
    const bare = hash === -1 ? url : url.slice(0, hash)
    const question = bare.indexOf('?')
    const document = question === -1 ? bare : bare.slice(0, question)
    const path = this.#fromPath(document)
    const query = question === -1 ? '' : this.#fromQuery(bare.slice(question))
    // Without its parameter a segment may be one of dots, which is resolved: `/a/..;utm_id=1/c` is `/c`.
    const left = path === document ? path + query : (parseUrl(path + query) ?? path + query)
    return left + (hash === -1 ? '' : url.slice(hash))
  }

  /** Whether a parameter of this name, as it is written, is removed. */
  drops(written: string): boolean {
    const name = parameterNameOf(written)
    return this.#whole.has(name) || this.#beginnings.some((beginning) => name.startsWith(beginning))
  }

  /** `document` is a URL without its query. A host may have a semicolon in it. */
  #fromPath(document: string): string {
    const pathAt = document.indexOf('/', document.indexOf('//') + 2)
    const path = document.slice(pathAt)
    return (
      document.slice(0, pathAt) + path.replaceAll(/;([^;=/]+)=[^;/]*/g, (pair, name: string) => (this.drops(name) ? '' : pair))
    )
  }

  /** `query` begins with its question mark. */
  #fromQuery(query: string): string {
    const pairs = query.slice(1).split('&')
    const kept = pairs.filter((pair) => !this.drops(pair.split('=', 1)[0] ?? ''))
    if (kept.length === pairs.length) return query
    const text = kept.join('&')
    return text === '' ? '' : `?${text}`
  }
}

/** The name of a parameter as it is compared: `%74oken` and `Token` are `token`. */
function parameterNameOf(written: string): string {
  const plain = written.replaceAll('+', ' ')
  return decoded(plain)
    .toLowerCase()
    .replace(/^(?:amp;)+(?=.)/, '')
}

/** `text` without percent-encoding; as it is where that is broken. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
