// An absolute URL of any scheme, for data that names one: what is to be requested goes through `parseUrl`.
import { MAX_HREF_CHARACTERS } from '../url/parse-url.ts'

/** `href` resolved against `base`; undefined for what is empty, too long or no URL. */
export function absoluteUrl(href: string, base: string): string | undefined {
  const trimmed = href.trim()
  return trimmed === '' || trimmed.length > MAX_HREF_CHARACTERS ? undefined : (URL.parse(trimmed, base)?.href ?? undefined)
}
