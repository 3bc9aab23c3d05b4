// Decides by the text that is kept of a robots.txt, without parsing it: for files whose rules are too many to keep ready for each of hundreds of hosts.
//
// 24,000 rules take 20 ms to parse and 3 MB; parsed anew for every page of every host they were all that a crawl did. The kept text has a rule a line,
// the one that decides first at the end (`keptText`), so it is read from its end until a line matches. Most lines differ from the path in their first
// characters, and cost some 20 ns.
import { matchedPathOf, MAX_STEPS } from './is-allowed.ts'
import { matches, ruleOf } from './pattern.ts'

const ALLOW = 'Allow: '
const DISALLOW = 'Disallow: '
const LINE_FEED = 10
const DOLLAR = 36
const STAR = 42

/** What `isAllowed` says of the file that `kept` was made of. */
export function isAllowedByKept(kept: string, url: string): boolean {
  const path = matchedPathOf(url)
  if (path === undefined) return true
  let steps = MAX_STEPS
  for (let end = kept.length; end > 0;) {
    const start = kept.lastIndexOf('\n', end - 1) + 1
    const allow = kept.startsWith(ALLOW, start)
    if (allow || kept.startsWith(DISALLOW, start)) {
      const from = start + (allow ? ALLOW : DISALLOW).length
      const fit = prefixFits(kept, from, path)
      if (fit === 'whole') return allow
      if (fit === 'so-far') {
        // Whoever sends so much to make us look for it does not want to be crawled.
        if ((steps -= path.length) < 0) return false
        if (matches(ruleOf(allow, kept.slice(from, end)), path)) return allow
      }
    }
    end = start - 1
  }
  return true
}

/** Whether the pattern at `from` begins as `path` does: all of it, or what stands before its first `*` or `$`. */
function prefixFits(kept: string, from: number, path: string): 'whole' | 'so-far' | 'not' {
  for (let at = 0; ; at++) {
    const code = kept.charCodeAt(from + at)
    if (code === LINE_FEED || Number.isNaN(code)) return 'whole'
    if (code === STAR || code === DOLLAR) return 'so-far'
    if (code !== path.charCodeAt(at)) return 'not'
  }
}
