// Header fields of an answer without secrets: a server repeats in them what it was sent, and gives new values.
import { locationOf } from '../url/location-of.ts'
import type { ResponseHeaders } from '../response.ts'
import { parseUrl } from '../url/parse-url.ts'
import type { SecretParameters } from './secret-parameters.ts'

/** Each holds one URL, whose values are remembered: it is followed, or a handler makes a link of it. */
const URL_FIELDS = new Set(['location', 'content-location'])
/** What it sets must come back as it is. */
const KEPT = 'set-cookie'

/** `headers`, which answer the request of `url`, with references to the values of secret parameters. */
export function hiddenFields(headers: ResponseHeaders, url: string, parameters: SecretParameters): ResponseHeaders {
  if (!parameters.isOn) return headers
  const fields = Object.entries(headers).map(([name, value]): [string, string | readonly string[]] => {
    if (name === KEPT) return [name, value]
    const hidden = (text: string): string => (URL_FIELDS.has(name) ? hiddenUrl(text, url, parameters) : parameters.inText(text))
    return [name, typeof value === 'string' ? hidden(value) : value.map(hidden)]
  })
  return Object.fromEntries(fields)
}

/** As it is where it has no secret: relative, and with its fragment. */
function hiddenUrl(given: string, from: string, parameters: SecretParameters): string {
  const url = parseUrl(locationOf({ location: given }), from)
  if (url === undefined) return parameters.inText(given)
  const hidden = parameters.hidden(url, from)
  return hidden === url ? given.replace(/#.*$/s, parameters.inText) : hidden
}
