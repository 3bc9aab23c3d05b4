// Recognises URLs that only a trap makes: endless paths, endless queries, the same folder inside itself again and again.

/** Calendars and broken relative links pass them within an hour, people's URLs never. */
const MAX_PATH_SEGMENTS = 32
const MAX_QUERY_PARAMETERS = 64
const MAX_EQUAL_SEGMENTS = 4

/** How many segments have this length, by length modulo 64: scratch of one call, here because every link asks. */
const ofLength = new Uint8Array(64)

/** Why `url` (WHATWG form) looks like a trap: `url-limit`, `trap`, or undefined when it does not. Empty segments do not count as equal. */
export function trapReason(url: string): 'url-limit' | 'trap' | undefined {
  const question = url.indexOf('?')
  const end = question === -1 ? url.length : question
  if (question !== -1 && url.split('&', MAX_QUERY_PARAMETERS + 1).length > MAX_QUERY_PARAMETERS) return 'url-limit'
  let slash = url.indexOf('/', url.indexOf('//') + 2)
  let segments = 0
  let mayRepeat = false
  ofLength.fill(0)
  while (slash !== -1 && slash < end) {
    if (++segments > MAX_PATH_SEGMENTS) return 'url-limit'
    const next = url.indexOf('/', slash + 1)
    const length = (next === -1 || next > end ? end : next) - slash - 1
    // Equal segments are equally long: counting lengths needs no memory, and nearly always suffices.
    const count = (ofLength[length & 63] ?? 0) + 1
    ofLength[length & 63] = count
    if (length > 0 && count > MAX_EQUAL_SEGMENTS) mayRepeat = true
    slash = next
  }
  return mayRepeat && hasEqualSegments(url.slice(0, end)) ? 'trap' : undefined
}

function hasEqualSegments(url: string): boolean {
  const counts = new Map<string, number>()
  // Before the path are the scheme, nothing, and the host.
  for (const segment of url.split('/').slice(3)) {
    const count = (counts.get(segment) ?? 0) + 1
    if (segment !== '' && count > MAX_EQUAL_SEGMENTS) return true
    counts.set(segment, count)
  }
  return false
}
