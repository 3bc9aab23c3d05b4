// Where a redirect says it leads: the Location field as a URL reference.
//
// Field values come a byte a character. Servers write paths in raw UTF-8, or in the encoding of their file names, and browsers send just these bytes
// back: each is percent-encoded as it is, for the URL parser would encode the UTF-8 of what Latin-1 makes of it. Source: the web platform tests
// redirect-location-escape.
import { headerOf, type ResponseHeaders } from '../response.ts'

const RAW_BYTE = /[\u0080-\u00ff]/g

/** The reference in `location`; empty when there is none. */
export function locationOf(headers: ResponseHeaders): string {
  const location = headerOf(headers, 'location') ?? ''
  return location.replace(RAW_BYTE, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
}
