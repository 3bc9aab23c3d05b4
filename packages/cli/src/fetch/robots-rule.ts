// Which line of robots.txt decides about a URL, to be shown. The verdict itself is the plugin's; where the two disagree, nothing is shown.
//
// The plugin keeps the rules that are for us as a robots.txt of its own, beside the host's memory: what is read here is its reading, in one form.
// RFC 9309 §2.2.2: the longest pattern that matches decides, and of equals the one that allows.

/** The part of a host's memory at rest in which the plugin keeps them. */
function partOf(url: string): string {
  return `#robots ${new URL(url).origin}`
}

interface Line {
  readonly allows: boolean
  readonly pattern: string
}

/** `Disallow: /cart`; undefined when no line is about `url`, or when nothing is kept. */
export function decidingRule(
  memory: Readonly<Record<string, string>>,
  url: string,
): { readonly allows: boolean; readonly line: string } | undefined {
  const { pathname, search } = new URL(url)
  const rule = linesOf(memory[partOf(url)] ?? '')
    .filter(({ pattern }) => matches(pattern, pathname + search))
    .sort((a, b) => b.pattern.length - a.pattern.length || Number(b.allows) - Number(a.allows))[0]
  return rule && { allows: rule.allows, line: `${rule.allows ? 'Allow' : 'Disallow'}: ${rule.pattern}` }
}

function linesOf(kept: string): Line[] {
  return kept.split('\n').flatMap((line) => {
    const [, word, pattern] = /^(Allow|Disallow): (.+)$/.exec(line) ?? []
    return word === undefined || pattern === undefined ? [] : [{ allows: word === 'Allow', pattern }]
  })
}

/** Each piece between two stars is looked for once, from left to right: linear, whatever a server wrote. */
function matches(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith('$')
  const [prefix = '', ...pieces] = (isAnchored ? pattern.slice(0, -1) : pattern).split('*')
  if (!path.startsWith(prefix)) return false
  const suffix = isAnchored ? pieces.pop() : undefined
  let at = prefix.length
  for (const piece of pieces) {
    const found = path.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  if (!isAnchored) return true
  return suffix === undefined ? at === path.length : path.length - suffix.length >= at && path.endsWith(suffix)
}
